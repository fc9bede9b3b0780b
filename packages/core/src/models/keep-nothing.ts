import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { loadPart } from '../base/load-part.ts';
import { resolveModel } from './resolve-model.ts';
import type { LanguageModelObject, ModelProvider, ModelSettings } from './settings.ts';

type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;

/** Providers that keep answers by default, and whose options say that they do not. */
const storeOptions: Readonly<Record<string, (id: string, given: ProviderOptions) => string | undefined>> = {
  openai: () => 'openai',
  // with options of its own, it reads none of OpenAI's
  azure: (_id, given) => ('azure' in given ? 'azure' : 'openai'),
  xai: () => 'xai',
  gateway: (id) => /^(openai|xai)\//.exec(id)?.[1],
};

/**
 * The same models, of which those that are named `openai:…`, `azure:…`, `xai:…` and by way of the AI Gateway keep no
 * answers at the provider, as they would by default, in one account for everybody who asks.
 * `providerOptions: { openai: { store: true } }` of a prompt goes before that, and a provider or a model that was made
 * elsewhere is as it was made.
 */
export function withoutProviderStorage(models: ModelSettings = {}): ModelSettings {
  const providers = Object.keys(storeOptions).map((name): [string, ModelProvider] => [
    name,
    async (id) => withoutStore(await resolveModel(`${name}:${id}`, models), storeOptions[name]!),
  ]);
  return { ...models, providers: { ...Object.fromEntries(providers), ...models.providers } };
}

/** With what is said before sent in full each time, in place of ids of what the provider would keep. */
async function withoutStore(
  model: LanguageModelObject,
  optionsOf: (typeof storeOptions)[string],
): Promise<LanguageModelObject> {
  const { wrapLanguageModel } = await loadPart('models', import('ai'));
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async transformParams({ params }) {
        const given = params.providerOptions ?? {};
        const whose = optionsOf(model.modelId, given);
        if (whose === undefined) return params;
        return { ...params, providerOptions: { ...given, [whose]: { store: false, ...given[whose] } } };
      },
    },
  });
}
