import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { loadModule } from '../base/load-module.ts';
import { resolveModel } from './resolve-model.ts';
import type { LanguageModelObject, ModelProvider, ModelSettings } from './settings.ts';

type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;

/** Providers that store answers by default, and the options that turn this off. */
const storeOptions: Readonly<
  Record<string, (id: string, providerOptions: ProviderOptions) => string | undefined>
> = {
  openai: () => 'openai',
  // with options of its own, it reads none of OpenAI's
  azure: (_id, providerOptions) => ('azure' in providerOptions ? 'azure' : 'openai'),
  xai: () => 'xai',
  gateway: (id) => /^(openai|xai)\//.exec(id)?.[1],
};

/**
 * Returns the same models, except that those named `openai:…`, `azure:…`, `xai:…`, also through the AI Gateway, store
 * no answers at the provider. By default they would, in one account for all users. `providerOptions: { openai: {
 * store: true } }` of a prompt overrides this. Providers and models that were created elsewhere are not changed.
 */
export function withoutProviderStorage(models: ModelSettings = {}): ModelSettings {
  const providers = Object.keys(storeOptions).map((name): [string, ModelProvider] => [
    name,
    async (id) => withoutStore(await resolveModel(`${name}:${id}`, models), storeOptions[name]!),
  ]);
  return { ...models, providers: { ...Object.fromEntries(providers), ...models.providers } };
}

/** Sends earlier turns in full each time, instead of ids of stored answers. */
async function withoutStore(
  model: LanguageModelObject,
  optionsOf: (typeof storeOptions)[string],
): Promise<LanguageModelObject> {
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
