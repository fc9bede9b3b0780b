import type { ToolEffect, ToolRules } from './tool-types.ts';

/** Returns whether a call needs an approval: as its tool says, otherwise if its effect is one of `asked`. */
export async function needsApproval(
  { needsApproval: own, effect }: ToolRules,
  args: unknown,
  asked: readonly ToolEffect[],
): Promise<boolean> {
  // a function that returns nothing leaves the decision to the effect
  const decision = typeof own === 'function' ? await own(args, asked) : own;
  return decision ?? (effect !== undefined && asked.includes(effect));
}
