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
  if (typeof given === 'string' || 'specificationVersion' in checked(given)) {
    return { model: given as string | LanguageModel, models };
  }
  const { provider, model, apiKey, baseURL } = given as SessionModel;
  if (provider !== 'openai' && provider !== 'anthropic' && provider !== 'ollama') {
    throw new CuelineError(
      'invalid_options',
      `A session's model has the provider ${shown(provider)}. Write 'openai', 'anthropic' or 'ollama'; for any other pass a text such as 'mistral:mistral-large-latest', or an AI SDK model.`,
    );
  }
  if (typeof model !== 'string' || model.trim() === '') {
    throw new CuelineError(
      'invalid_options',
      `A session's model says no model: { provider: '${provider}', model: '…' }.`,
    );
  }
  const env = models.env ?? processEnvironment();
  const settings = provider === 'ollama' ? ollama(env, apiKey, baseURL) : hosted(provider, apiKey, baseURL);
  return { model: `${provider}:${model}`, models: { ...models, env: { ...env, ...settings } } };
}

function hosted(provider: string, apiKey: string | undefined, baseURL: string | undefined): Environment {
  const prefix = provider.toUpperCase();
  return {
    ...(apiKey === undefined ? {} : { [`${prefix}_API_KEY`]: apiKey }),
    ...(baseURL === undefined ? {} : { [`${prefix}_API_BASE`]: baseURL }),
  };
}

function ollama(env: Environment, apiKey: string | undefined, baseURL: string | undefined): Environment {
  const base = baseURL ?? env['OLLAMA_API_BASE'] ?? OLLAMA_URL;
  return {
    OLLAMA_API_BASE: base.replace(/(\/(v1|api))?\/*$/, '/v1'),
    OLLAMA_API_TYPE: 'openai',
    // it asks for no key, and on another machine one has to be given all the same
    OLLAMA_API_KEY: apiKey ?? env['OLLAMA_API_KEY'] ?? 'ollama',
  };
}

function checked(given: unknown): object {
  if (typeof given === 'object' && given !== null) return given;
  throw new CuelineError(
    'invalid_options',
    `A session's model is ${shown(given)}. Write { provider: 'openai', model: 'gpt-4o', apiKey }, 'openai:gpt-4o', or pass an AI SDK model.`,
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}
