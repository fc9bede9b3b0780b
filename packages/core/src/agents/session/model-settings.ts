import type { LanguageModel } from 'ai';
import { processEnvironment, type Environment } from '../../models/environment.ts';
import type { ModelSettings } from '../../models/settings.ts';
import { isPlain, type SessionModel } from './session-model.ts';

const OLLAMA_URL = 'http://127.0.0.1:11434';

/** Returns the settings with the key and the address of a session's model. */
export function modelSettings(
  given: SessionModel | string | LanguageModel,
  models: ModelSettings = {},
): ModelSettings {
  if (!isPlain(given)) return models;
  const { provider, apiKey, baseURL } = given;
  const env = models.env ?? processEnvironment();
  const isOllama = provider === 'ollama';
  const prefix = `${provider.toUpperCase()}_API_`;
  const base = baseURL ?? env[`${prefix}BASE`] ?? (isOllama ? OLLAMA_URL : undefined);
  const settings: Environment = {
    // Ollama needs no key, but on another machine the client must have one
    [`${prefix}KEY`]: apiKey ?? env[`${prefix}KEY`] ?? (isOllama ? 'ollama' : undefined),
    [`${prefix}BASE`]: isOllama ? base?.replace(/(\/(v1|api))?\/*$/, '/v1') : base,
    [`${prefix}TYPE`]: 'openai',
  };
  return { ...models, env: { ...env, ...settings } };
}
