import type { LanguageModel } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { loadModule } from '../base/load-module.ts';
import { scriptError } from '../base/script-error.ts';
import { refusePromises } from '../json/refuse-promises.ts';
import { checkModel } from './check-model.ts';
import { processEnvironment, secretsOf } from './environment.ts';
import type { CurrentModel, LanguageModelObject, ModelSettings } from './settings.ts';

/** A resolver of models with fixed settings. */
export type Models = {
  /** Resolves a model as {@link resolveModel} does. */
  resolve(ref: string | LanguageModel): Promise<LanguageModelObject>;
  /** Returns the keys in these settings, to remove them from error messages. */
  secrets(): string[];
};

const settingNames = ['env', 'providers', 'fetch', 'packages', 'wrapModel'];

/**
 * Binds environment, providers and fetch once, for an app that resolves models in many places.
 * @throws CuelineError `invalid_options` for a setting that does not exist
 *
 * @example
 * const models = createModels({ env: import.meta.env });
 * await runPrompt(planDay, { model: await models.resolve('fast') });
 */
export function createModels(settings: ModelSettings = {}): Models {
  checkModelSettings('createModels', settings);
  refusePromises('createModels', settings);
  return bindModels(settings);
}

/** Checks the names of settings. `whose` begins the message. @throws CuelineError `invalid_options` */
export function checkModelSettings(whose: string, settings: ModelSettings): void {
  checkNames(whose, settings, settingNames, 'invalid_options');
}

/** Does the same as {@link createModels} with the settings of a run, which has others, too. */
export function bindModels(settings: ModelSettings): Models {
  const { wrapModel } = settings;

  async function find(ref: string | LanguageModel): Promise<LanguageModelObject> {
    if (typeof ref !== 'string') return checkModel(ref, 'The model');
    // loaded on demand, because an app that passes model objects does not need it
    const { resolveModel } = await loadModule('models', import('./resolve-model.ts'));
    return resolveModel(ref, settings);
  }

  return {
    async resolve(ref) {
      const model = await find(ref);
      if (wrapModel === undefined) return model;
      const current = await toCurrent(model);
      try {
        return wrapModel(current);
      } catch (error) {
        throw scriptError('wrapModel', error);
      }
    },
    secrets: () => secretsOf(settings.env ?? processEnvironment()),
  };
}

/** Converts a model of any version of the specification to the version that the AI SDK calls. */
export async function toCurrent(model: LanguageModelObject): Promise<CurrentModel> {
  if (model.specificationVersion === 'v4') return model;
  const { wrapLanguageModel } = await import('ai');
  return wrapLanguageModel({ model, middleware: [] });
}
