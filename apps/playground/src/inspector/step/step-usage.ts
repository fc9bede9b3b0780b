import type { StepState } from '@cueline/core';

/** The token counts that a provider has reported. */
export type StepUsage = {
  input: number | undefined;
  /** The part of the input that the provider read from its cache. */
  cached: number | undefined;
  /** The part of the input that the provider wrote into its cache. */
  written: number | undefined;
  output: number | undefined;
  reasoning: number | undefined;
};

/** A step's usage. Invalid counts of an imported log are left out. */
export function readUsage({ usage }: Pick<StepState, 'usage'>): StepUsage {
  const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails } = usage ?? {};
  return {
    input: readCount(inputTokens),
    cached: readCount(inputTokenDetails?.cacheReadTokens),
    written: readCount(inputTokenDetails?.cacheWriteTokens),
    output: readCount(outputTokens),
    reasoning: readCount(outputTokenDetails?.reasoningTokens),
  };
}

function readCount(count: unknown): number | undefined {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
