import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { loadModule } from '../base/load-module.ts';
import type { LanguageModelObject } from './settings.ts';

type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;

/** Returns the name of the options that have `store`, for a model and its options; undefined for none. */
export type StoreOptions = (modelId: string, providerOptions: ProviderOptions) => string | undefined;

/**
 * Returns the model with `store: false` as its default. It sends earlier turns in full each time, instead of ids of
 * stored answers.
 */
export async function withoutStore(
  model: LanguageModelObject,
  optionsOf: StoreOptions,
): Promise<LanguageModelV4> {
  const { wrapLanguageModel } = await loadModule('models', import('ai'));
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async transformParams({ params }) {
        const providerOptions = params.providerOptions ?? {};
        const whose = optionsOf(model.modelId, providerOptions);
        if (whose === undefined) return params;
        return {
          ...params,
          providerOptions: { ...providerOptions, [whose]: { store: false, ...providerOptions[whose] } },
        };
      },
    },
  });
}
