import type { LanguageModel } from 'ai';
import { CuelineError } from '../../base/errors.ts';

/** A session's model as plain data. */
export type SessionModel = {
  provider: 'openai' | 'anthropic' | 'ollama';
  model: string;
  /** Default: the environment's. Ollama needs none. */
  apiKey?: string | undefined;
  /** Default for Ollama: `http://127.0.0.1:11434`. */
  baseURL?: string | undefined;
};

/** Returns a session's model as a run takes it. @throws CuelineError `invalid_options` */
export function resolveSessionModel(setting: SessionModel | string | LanguageModel): string | LanguageModel {
  return isPlain(setting) ? `${setting.provider}:${setting.model}` : setting;
}

/** True for a model as plain data. @throws CuelineError `invalid_options` for anything that is not a model */
export function isPlain(setting: SessionModel | string | LanguageModel): setting is SessionModel {
  if (typeof setting === 'string') return false;
  const { provider, model, specificationVersion } = (setting ?? {}) as Partial<Record<string, unknown>>;
  if (specificationVersion !== undefined) return false;
  if (
    ['openai', 'anthropic', 'ollama'].includes(provider as string) &&
    typeof model === 'string' &&
    model !== ''
  )
    return true;
  throw new CuelineError(
    'invalid_options',
    `The model of a session is { provider: 'openai' | 'anthropic' | 'ollama', model: 'gpt-4o' }, a string such as 'mistral:mistral-large-latest', or an AI SDK model, not ${JSON.stringify({ provider, model })}.`,
  );
}
