import type { ToolEffect, ToolRules } from './tool-definition.ts';

/** Whether somebody must approve a call: as its tool says, and else where it has one of the effects that are `asked` for. */
export async function needsApproval(
  { needsApproval: own, effect }: ToolRules,
  args: unknown,
  asked: readonly ToolEffect[],
): Promise<boolean> {
  if (typeof own === 'function') return own(args, asked);
  return own ?? (effect !== undefined && asked.includes(effect));
}
