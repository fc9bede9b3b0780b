import type { ModelCall } from './metered-model.ts';

/** The longest answer of a call that asks for no other. */
const OUTPUT_TOKENS = 16_384;
/** An answer is not cut shorter than that for want of tokens: its call is refused. */
const LEAST_OUTPUT_TOKENS = 1_024;

/**
 * The longest answers with which a call may be tried, in tokens: what it asks for, within `limit`, and then less and less,
 * for a day of which not so much is left.
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

/** The least that a call reserves for its answer. */
export function leastOutput(limit: number = Infinity): number {
  return Math.min(LEAST_OUTPUT_TOKENS, limit);
}

/** How much of a model's longest answer a provider's package lets it think, by the AI SDK's `reasoning`. */
const shares: Readonly<Record<string, number>> = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.9,
};
/** The longest answer of any of these models. */
const MOST_OUTPUT_TOKENS = 128_000;

/**
 * Tokens of thinking that come on top of `maxOutputTokens`: the AI SDK adds the budget for it to what it asks Anthropic's
 * models for, by way of Bedrock and of the AI Gateway too, and to nobody else's.
 */
export function thinkingOnTop({ providerOptions, reasoning }: ModelCall, provider: string): number {
  const budgets = Object.values(providerOptions ?? {}).map((options) => {
    const { thinking, reasoningConfig } = options as Record<string, { budgetTokens?: unknown } | undefined>;
    const budget = thinking?.budgetTokens ?? reasoningConfig?.budgetTokens;
    return typeof budget === 'number' && budget > 0 ? budget : 0;
  });
  const share = /anthropic|bedrock|gateway/.test(provider) ? (shares[reasoning ?? ''] ?? 0) : 0;
  return Math.max(0, ...budgets, Math.ceil(share * MOST_OUTPUT_TOKENS));
}
