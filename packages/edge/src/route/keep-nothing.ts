import type { ModelSettings } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';

type Model = Awaited<ReturnType<typeof resolveModel>>;
type Call = Parameters<Extract<Model, { specificationVersion: 'v4' }>['doStream']>[0];

/**
 * The same models, of which those that are named `openai:…` keep no answers at OpenAI, as they would by default, in one
 * account for everybody who asks. `providerOptions: { openai: { store: true } }` of a definition goes before that, and a
 * provider or a model that was made elsewhere is as it was made.
 */
export function keepNothing(models: ModelSettings = {}): ModelSettings {
  const openai = async (id: string): Promise<Model> =>
    withoutStore(await resolveModel(`openai:${id}`, models));
  return { ...models, providers: { openai, ...models.providers } };
}

function withoutStore(model: Model): Model {
  if (model.specificationVersion !== 'v4') return model;
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: (call) => model.doGenerate(storingNothing(call)),
    doStream: (call) => model.doStream(storingNothing(call)),
  };
}

function storingNothing(call: Call): Call {
  const { openai, ...others } = call.providerOptions ?? {};
  return { ...call, providerOptions: { ...others, openai: { store: false, ...openai } } };
}
