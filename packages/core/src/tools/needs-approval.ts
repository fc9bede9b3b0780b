import type { ToolContext, ToolEffect, ToolRules } from './tool-types.ts';

type Decide = (args: unknown, asked: readonly ToolEffect[], context: ToolContext) => unknown;

/** Returns whether a call needs an approval: as its tool says, otherwise if its effect is one of `asked`. */
export async function needsApproval(
  { needsApproval: own, effect }: ToolRules,
  args: unknown,
  asked: readonly ToolEffect[],
  context: ToolContext,
): Promise<boolean> {
  // a function that returns nothing leaves the decision to the effect; those of the AI SDK's tools need the context
  const decision = (typeof own === 'function' ? await (own as Decide)(args, asked, context) : own) as
    | boolean
    | undefined;
  return decision ?? (effect !== undefined && asked.includes(effect));
}
