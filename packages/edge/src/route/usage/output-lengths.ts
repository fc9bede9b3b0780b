import type { ModelCall } from './metered-model.ts';

/** The maximum output of a call that requests none. */
const OUTPUT_TOKENS = 16_384;
/** An answer is not shortened below this for lack of budget; its call is refused instead. */
const LEAST_OUTPUT_TOKENS = 1_024;

/**
 * Returns the maximum outputs with which a call may be tried, in tokens: the requested one, within `limit`, and then
 * shorter ones, in case the day's budget is nearly used up.
 */
export function outputLengths(
  { maxOutputTokens = OUTPUT_TOKENS }: ModelCall,
  limit: number = Infinity,
): number[] {
  const lengths = [Math.min(maxOutputTokens, limit)];
  for (;;) {
    const shorter = Math.floor(lengths.at(-1)! / 2);
    if (!(shorter >= LEAST_OUTPUT_TOKENS)) return lengths;
    lengths.push(shorter);
  }
}

/** Returns the minimum that a call reserves for its answer. */
export function leastOutput(limit: number = Infinity): number {
  return Math.min(LEAST_OUTPUT_TOKENS, limit);
}

/**
 * The share of a model's maximum output that a provider's package allows for reasoning, by the AI SDK's `reasoning`.
 */
const shares: Readonly<Record<string, number>> = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.9,
};
/** The maximum output of all these models. */
const MAX_OUTPUT_TOKENS = 128_000;

/**
 * Returns reasoning tokens that are added to `maxOutputTokens`: the AI SDK adds the reasoning budget to it for
 * Anthropic's models, also through Bedrock and the AI Gateway, and for no others.
 */
export function extraThinkingTokens({ providerOptions, reasoning }: ModelCall, provider: string): number {
  const budgets = Object.values(providerOptions ?? {}).map((options) => {
    const { thinking, reasoningConfig } = options as Record<string, { budgetTokens?: unknown } | undefined>;
    const budget = thinking?.budgetTokens ?? reasoningConfig?.budgetTokens;
    return typeof budget === 'number' && budget > 0 ? budget : 0;
  });
  const share = /anthropic|bedrock|gateway/.test(provider) ? (shares[reasoning ?? ''] ?? 0) : 0;
  return Math.max(0, ...budgets, Math.ceil(share * MAX_OUTPUT_TOKENS));
}
