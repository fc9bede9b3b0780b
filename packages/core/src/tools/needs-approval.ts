import type { ToolEffect, ToolRules } from './tool-definition.ts';

/** Whether somebody must approve a call: as its tool says, and else where it has one of the effects that are `asked` for. */
export async function needsApproval(
  { needsApproval: own, effect }: ToolRules,
  args: unknown,
  asked: readonly ToolEffect[],
): Promise<boolean> {
  // one that says nothing, as a function without a return does, leaves it to the effect
  const said = typeof own === 'function' ? await own(args, asked) : own;
  return said ?? (effect !== undefined && asked.includes(effect));
}
