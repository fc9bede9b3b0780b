import { CuelineError } from '../base/errors.ts';
import type { Models } from '../models/create-models.ts';
import type { LanguageModelObject } from '../models/settings.ts';

type ModelName = Pick<LanguageModelObject, 'provider' | 'modelId'>;

/** Returns models that have only their names: a text `provider:model` is neither looked up nor loaded. */
export function nameOnlyModels(models: Models): Models {
  return {
    ...models,
    resolve: async (ref) =>
      nameOnlyModel(typeof ref === 'string' ? splitName(ref) : await models.resolve(ref)),
  };
}

function splitName(text: string): ModelName {
  const colon = text.indexOf(':');
  return { provider: text.slice(0, Math.max(colon, 0)).trim(), modelId: text.slice(colon + 1).trim() };
}

function nameOnlyModel({ provider, modelId }: ModelName): LanguageModelObject {
  const refuse = (): never => {
    throw new CuelineError('aborted', 'A dry run calls no model.');
  };
  // if every URL is supported, the AI SDK downloads none
  const supportedUrls = { '*/*': [/^/] };
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls,
    doGenerate: refuse,
    doStream: refuse,
  };
}
