import { resolveModel } from './resolve-model.ts';
import type { ModelProvider, ModelSettings } from './settings.ts';
import { type StoreOptions, withoutStore } from './without-store.ts';

/** Providers that store answers by default, and the options that turn this off. */
const storeOptions: Readonly<Record<string, StoreOptions>> = {
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
