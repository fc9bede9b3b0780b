import type { LanguageModel } from 'ai';
import { loadPart } from '../base/load-part.ts';
import { checkModel } from './check-model.ts';
import { processEnvironment, secretsOf } from './environment.ts';
import type { CurrentModel, LanguageModelObject, ModelSettings } from './settings.ts';

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
  const { wrapModel } = settings;

  async function find(ref: string | LanguageModel): Promise<LanguageModelObject> {
    if (typeof ref !== 'string') return checkModel(ref, 'The model');
    // loaded on demand: an app that passes model objects needs none of it
    const { resolveModel } = await loadPart('models', import('./resolve-model.ts'));
    return resolveModel(ref, settings);
  }

  return {
    async resolve(ref) {
      const model = await find(ref);
      return wrapModel === undefined ? model : wrapModel(await toCurrent(model));
    },
    secrets: () => secretsOf(settings.env ?? processEnvironment()),
  };
}

/** The model as the AI SDK calls it, whichever version of its specification it was made for. */
async function toCurrent(model: LanguageModelObject): Promise<CurrentModel> {
  if (model.specificationVersion === 'v4') return model;
  const { wrapLanguageModel } = await import('ai');
  return wrapLanguageModel({ model, middleware: [] });
}
