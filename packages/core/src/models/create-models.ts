import type { LanguageModel } from 'ai';
import { processEnvironment, secretsOf } from './environment.ts';
import { resolveModel } from './resolve-model.ts';
import type { LanguageModelObject, ModelSettings } from './settings.ts';

/** Models from one set of settings. */
export type Models = {
  /** As {@link resolveModel}, with these settings. */
  resolve(ref: string | LanguageModel): Promise<LanguageModelObject>;
  /** The keys among these settings, so that error messages can be cleared of them. */
  secrets(): string[];
};

/**
 * Binds environment, providers and fetch once, for an app that resolves models in many places.
 *
 * @example
 * const models = createModels({ env: import.meta.env });
 * await runPrompt(script, { model: await models.resolve('fast') });
 */
export function createModels(settings: ModelSettings = {}): Models {
  return {
    resolve: (ref) => resolveModel(ref, settings),
    secrets: () => secretsOf(settings.env ?? processEnvironment()),
  };
}
