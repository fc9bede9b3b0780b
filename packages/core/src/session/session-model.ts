import type { LanguageModel } from 'ai';
import { CuelineError } from '../errors.ts';
import { processEnvironment, type Environment } from '../models/environment.ts';
import type { ModelSettings } from '../models/settings.ts';

/** A session's model as plain data. */
export type SessionModel = {
  provider: 'openai' | 'anthropic' | 'ollama';
  model: string;
  /** Default: that of the environment. Ollama needs none. */
  apiKey?: string | undefined;
  /** Of Ollama by default `http://127.0.0.1:11434`. */
  baseURL?: string | undefined;
};

/** The model as a run takes it, and where that finds key and address. */
export type ChosenModel = { model: string | LanguageModel; models: ModelSettings };

const OLLAMA_URL = 'http://127.0.0.1:11434';

/** Reads what a session is given as its model. @throws CuelineError `invalid_options` */
export function sessionModel(
  given: SessionModel | string | LanguageModel,
  models: ModelSettings = {},
): ChosenModel {
  if (!isPlain(given)) return { model: given, models };
  const { provider, model, apiKey, baseURL } = given;
  const env = models.env ?? processEnvironment();
  const isOllama = provider === 'ollama';
  const prefix = `${provider.toUpperCase()}_API_`;
  const base = baseURL ?? env[`${prefix}BASE`] ?? (isOllama ? OLLAMA_URL : undefined);
  const settings: Environment = {
    // Ollama asks for no key, and on another machine one has to be given all the same
    [`${prefix}KEY`]: apiKey ?? env[`${prefix}KEY`] ?? (isOllama ? 'ollama' : undefined),
    [`${prefix}BASE`]: isOllama ? base?.replace(/(\/(v1|api))?\/*$/, '/v1') : base,
    [`${prefix}TYPE`]: 'openai',
  };
  return { model: `${provider}:${model}`, models: { ...models, env: { ...env, ...settings } } };
}

function isPlain(given: SessionModel | string | LanguageModel): given is SessionModel {
  if (typeof given === 'string') return false;
  const { provider, model, specificationVersion } = (given ?? {}) as Partial<Record<string, unknown>>;
  if (specificationVersion !== undefined) return false;
  if (
    ['openai', 'anthropic', 'ollama'].includes(provider as string) &&
    typeof model === 'string' &&
    model !== ''
  )
    return true;
  throw new CuelineError(
    'invalid_options',
    `The model of a session is { provider: 'openai' | 'anthropic' | 'ollama', model: 'gpt-4o' }, a text such as 'mistral:mistral-large-latest', or an AI SDK model, and not ${JSON.stringify({ provider, model })}.`,
  );
}
