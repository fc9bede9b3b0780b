import type { StepState } from '@cueline/core';

/** The tokens that a provider has counted, as far as it has. */
export type StepUsage = {
  input: number | undefined;
  cached: number | undefined;
  output: number | undefined;
  reasoning: number | undefined;
};

/** A step's usage. Counts of a foreign log that are not counts are left out. */
export function readUsage({ usage }: Pick<StepState, 'usage'>): StepUsage {
  const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails } = usage ?? {};
  return {
    input: readCount(inputTokens),
    cached: readCount(inputTokenDetails?.cacheReadTokens),
    output: readCount(outputTokens),
    reasoning: readCount(outputTokenDetails?.reasoningTokens),
  };
}

function readCount(count: unknown): number | undefined {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
