import type { LanguageModel } from 'ai';
import type { LanguageModelObject } from '../models/settings.ts';
import { withRetries, type ModelRetry, type RetrySettings } from './with-retries.ts';

/** What a loop policy says of its model calls. */
export type ModelCallPolicy = {
  /** Goes around the model of every step, inside of retries and time limits. */
  model?(model: LanguageModelObject): LanguageModelObject;
  /** What becomes of the answers of model calls, and of calls that fail. */
  readonly calls?: Pick<RetrySettings, 'timeouts' | 'repair' | 'failsOnRefusal' | 'onAnswer'> & {
    /** Called before each wait for another try, besides the `retry` event. */
    onRetry?(retry: ModelRetry): void;
  };
};

/** A conversation's models, and what every call of them has: time limits, retries, and answers that are whole or fail. */
export type ModelCalls = {
  /** The model with that around it; of the same model the same object, as models may be compared. */
  wrap(model: LanguageModel): LanguageModel;
  /** The model that was wrapped, which is the one that hooks and callbacks know. */
  unwrap(model: LanguageModel): LanguageModel;
};

/** `settings` are the run's; those of a session or an agent call come before them. */
export function createModelCalls(policy: ModelCallPolicy | undefined, settings: RetrySettings): ModelCalls {
  const own: RetrySettings = {
    ...settings,
    ...policy?.calls,
    onRetry(retry) {
      settings.onRetry?.(retry);
      policy?.calls?.onRetry?.(retry);
    },
  };
  const wrapped = new WeakMap<LanguageModelObject, LanguageModelObject>();
  const given = new WeakMap<LanguageModelObject, LanguageModelObject>();
  return {
    wrap(model) {
      // only what is resolved is called; a name is refused by the AI SDK's own check
      if (typeof model === 'string') return model;
      const known = wrapped.get(model) ?? withRetries(policy?.model?.(model) ?? model, own);
      wrapped.set(model, known);
      given.set(known, model);
      return known;
    },
    unwrap: (model) => (typeof model === 'string' ? model : (given.get(model) ?? model)),
  };
}
