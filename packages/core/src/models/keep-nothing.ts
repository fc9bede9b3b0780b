import { loadPart } from '../load-part.ts';
import { resolveModel } from './resolve-model.ts';
import type { LanguageModelObject, ModelSettings } from './settings.ts';

/**
 * The same models, of which those that are named `openai:…` keep no answers at OpenAI, as they would by default, in one
 * account for everybody who asks. `providerOptions: { openai: { store: true } }` of a prompt goes before that, and a
 * provider or a model that was made elsewhere is as it was made.
 */
export function keepNothing(models: ModelSettings = {}): ModelSettings {
  const openai = async (id: string): Promise<LanguageModelObject> =>
    withoutStore(await resolveModel(`openai:${id}`, models));
  return { ...models, providers: { openai, ...models.providers } };
}

/** With what is said before sent in full each time, in place of ids of what OpenAI would keep. */
async function withoutStore(model: LanguageModelObject): Promise<LanguageModelObject> {
  const { defaultSettingsMiddleware, wrapLanguageModel } = await loadPart('models', import('ai'));
  const settings = { providerOptions: { openai: { store: false } } };
  return wrapLanguageModel({ model, middleware: defaultSettingsMiddleware({ settings }) });
}
