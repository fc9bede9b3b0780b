import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { TokenUsage } from '../log/events.ts';

const usages = new WeakMap<object, TokenUsage>();

/** Keeps the tokens that a failed model call has used, with its error. */
export function keepUsage(error: object, { inputTokens, outputTokens }: LanguageModelV4Usage): void {
  // a model object may be written in JavaScript
  usages.set(error, { inputTokens: inputTokens?.total, outputTokens: outputTokens?.total });
}

/** Returns the tokens of the model call that failed with an error, if the provider has reported them. */
export function usageOfFailed(error: object): TokenUsage | undefined {
  return usages.get(error);
}
