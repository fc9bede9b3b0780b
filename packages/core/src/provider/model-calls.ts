import type { LanguageModel } from 'ai';
import type { LanguageModelObject } from '../models/settings.ts';
import { withRetries, type ModelRetry, type RetrySettings } from './with-retries.ts';

/** The model calls of a loop policy. */
export type ModelCallPolicy = {
  /** Wraps the model of every step, inside retries and time limits. */
  model?(model: LanguageModelObject): LanguageModelObject;
  /** How responses are handled, and calls that fail. */
  readonly calls?: Pick<RetrySettings, 'timeouts' | 'repair' | 'failsOnRefusal' | 'onAnswer'> & {
    /** Called before each wait for another attempt, besides the `retry` event. */
    onRetry?(retry: ModelRetry): void;
  };
};

/**
 * The models of one agent loop, with what surrounds every call: time limits, retries, and responses that are whole or
 * fail.
 */
export type ModelCalls = {
  /** Returns the wrapped model; the same object for the same model, because models may be compared. */
  wrap(model: LanguageModel): LanguageModel;
  /** Returns the model that was wrapped, which hooks and callbacks know. */
  unwrap(model: LanguageModel): LanguageModel;
};

/** `settings` are the run's; those of a session or an agent call override them. */
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
  const originals = new WeakMap<LanguageModelObject, LanguageModelObject>();
  return {
    wrap(model) {
      // only resolved models are called; the AI SDK refuses a name by itself
      if (typeof model === 'string') return model;
      const known = wrapped.get(model) ?? withRetries(policy?.model?.(model) ?? model, own);
      wrapped.set(model, known);
      originals.set(known, model);
      return known;
    },
    unwrap: (model) => (typeof model === 'string' ? model : (originals.get(model) ?? model)),
  };
}
