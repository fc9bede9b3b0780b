import type { LanguageModel } from 'ai';
import { loadPart } from '../load-part.ts';
import { checkModel } from './check-model.ts';
import { processEnvironment, secretsOf } from './environment.ts';
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
    async resolve(ref) {
      if (typeof ref !== 'string') return checkModel(ref, 'The model');
      // loaded on demand: an app that passes model objects needs none of it
      const { resolveModel } = await loadPart('models', import('./resolve-model.ts'));
      return resolveModel(ref, settings);
    },
    secrets: () => secretsOf(settings.env ?? processEnvironment()),
  };
}
