import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { TokenUsage } from '../log/events.ts';

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

const finishes = new WeakMap<object, Finish>();

/** Keeps the finish of a failed model call, which has its tokens, with its error. */
export function keepFinish(error: object, finish: Finish): void {
  finishes.set(error, finish);
}

/** Returns the finish of the model call that failed with an error, if the call had one. */
export function finishOfFailed(error: unknown): Finish | undefined {
  return finishes.get(error as object);
}

/** Returns the tokens of the model call that failed with an error, if the provider has reported them. */
export function usageOfFailed(error: object): TokenUsage | undefined {
  const finish = finishes.get(error);
  // a model object may be written in JavaScript
  const { inputTokens, outputTokens } = (finish?.usage ?? {}) as Partial<Finish['usage']>;
  return finish && { inputTokens: inputTokens?.total, outputTokens: outputTokens?.total };
}
