import type { LanguageModel } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import { loadModule } from '../base/load-module.ts';
import { scriptError } from '../base/script-error.ts';
import { resolveAlias } from './aliases.ts';
import { builtInProviders, createBuiltInModel, isBuiltIn } from './built-in.ts';
import { checkModel } from './check-model.ts';
import { createEnvironmentModel, environmentProviders, isDescribed, isInEnvironment } from './custom.ts';
import { processEnvironment, toVariablePart, type Environment } from './environment.ts';
import { guardFetch } from './guarded-fetch.ts';
import { isOfAiSdk, toRunError } from './run-error.ts';
import type { LanguageModelObject, ModelContext, ModelProvider, ModelSettings } from './settings.ts';

/**
 * Returns the model object for a model name: `provider:id` (split at the first colon), an alias from the environment
 * (`LM_MODEL_FAST=openai:gpt-4o-mini` is `fast`), `provider/id` of the AI Gateway, or a model object, which is
 * returned as it is.
 *
 * A provider's name is looked up in `providers`, then among those that the environment describes with
 * `<NAME>_API_BASE` and `<NAME>_API_TYPE`, then among the built-in ones ({@link builtInProviders}). Its package is
 * loaded only now, and nothing is sent.
 *
 * @example
 * const model = await resolveModel('openai:gpt-4o', { env: { OPENAI_API_KEY: key } });
 */
export async function resolveModel(
  ref: string | LanguageModel,
  settings: ModelSettings = {},
): Promise<LanguageModelObject> {
  if (typeof ref !== 'string') return checkModel(ref, 'The model');
  const context: ModelContext = {
    env: settings.env ?? processEnvironment(),
    isEnvPassed: settings.env !== undefined,
    providers: settings.providers ?? {},
    fetch: guardFetch(settings.fetch),
    packages: settings.packages ?? {},
  };
  const [provider, modelId] = readReference(ref, context.env);
  return createModel(provider, modelId, context);
}

/**
 * Returns the `provider:id` that a model's name stands for. Throws as {@link resolveModel} does for a name that stands
 * for no model.
 */
export function expandModelName(name: string, { env = processEnvironment() }: ModelSettings): string {
  return readReference(name, env).join(':');
}

/** Returns the provider and the model id that a model's name stands for. */
function readReference(name: string, env: Environment): [provider: string, modelId: string] {
  const text = name.trim();
  if (text === '') {
    throw new CuelineError(
      'unknown_model',
      'The model is an empty string. Write provider:model, such as openai:gpt-4o, or pass a LanguageModel.',
    );
  }
  const reference = text.includes(':') ? text : resolveAlias(text, env);
  const colon = reference.indexOf(':');
  const provider = reference.slice(0, colon).trim();
  const modelId = reference.slice(colon + 1).trim();
  if (provider === '' || modelId === '') {
    throw new CuelineError(
      'unknown_model',
      `Model "${reference}" has no ${provider === '' ? 'provider before' : 'model id after'} its colon. ` +
        `Write provider:model, such as openai:gpt-4o.`,
      { details: { model: reference } },
    );
  }
  return [provider, modelId];
}

async function createModel(
  provider: string,
  modelId: string,
  context: ModelContext,
): Promise<LanguageModelObject> {
  if (Object.hasOwn(context.providers, provider)) {
    const model = await createFromProvider(context.providers[provider]!, provider, modelId);
    return checkModel(model, `What provider "${provider}" gave for "${modelId}"`);
  }
  if (provider === 'simulated') return createSimulatedModel(modelId);
  if (isBuiltIn(provider) && !isDescribed(provider, context.env)) {
    return createBuiltInModel(provider, modelId, context);
  }
  if (isInEnvironment(provider, context.env)) return createEnvironmentModel(provider, modelId, context);
  const known = [
    ...new Set([
      ...Object.keys(context.providers),
      ...builtInProviders,
      'simulated',
      ...environmentProviders(context.env),
    ]),
  ];
  const prefix = toVariablePart(provider);
  throw new CuelineError(
    'unknown_model',
    `Unknown provider "${provider}" in "${provider}:${modelId}". Known providers: ${known.join(', ')}. ` +
      `For an OpenAI-compatible server set ${prefix}_API_BASE, ${prefix}_API_TYPE=openai and ${prefix}_API_KEY.`,
    { details: { provider, known } },
  );
}

async function createFromProvider(provider: ModelProvider, name: string, modelId: string): Promise<unknown> {
  const where = `providers.${name}`;
  try {
    // an AI SDK provider is a function, too, but only its method takes nothing but an id
    const { languageModel } = Object(provider) as { languageModel?: (id: string) => unknown };
    if (typeof languageModel === 'function') return await languageModel.call(provider, modelId);
    if (typeof provider === 'function') return await provider(modelId);
  } catch (error) {
    throw isOfAiSdk(error) ? toRunError(error) : scriptError(where, error);
  }
  if (isUnawaited(provider))
    throw new CuelineError('invalid_options', `${where} is a promise. Write await before it.`);
  throw new CuelineError(
    'invalid_options',
    `${where} is neither a provider nor a function from model id to model. ` +
      `Pass one such as createOpenAI({ apiKey }), or (id) => model.`,
  );
}

async function createSimulatedModel(modelId: string): Promise<LanguageModelObject> {
  if (modelId !== 'demo') {
    throw new CuelineError('unknown_model', `Unknown simulated model "${modelId}". Write simulated:demo.`);
  }
  const { demoModel } = await loadModule('simulated models', import('@cueline/demo-model'));
  return demoModel();
}
