import type { LanguageModelV4 } from '@ai-sdk/provider';
import { CuelineError } from '../errors.ts';
import { checkBaseUrl } from './base-url.ts';
import { readVariable } from './environment.ts';
import { loadPackage } from './packages.ts';
import { isBrowser } from './platform.ts';
import type { ModelContext } from './settings.ts';

type BuiltIn = {
  /** Variables that may hold the key, the first of which is the one to recommend. */
  keys: readonly [string, ...string[]];
  /** Always given to the provider, which left to itself would read `process.env` past our environment. */
  baseURL: string;
  /** Headers that the provider asks of calls from a browser. */
  browserHeaders?: Record<string, string>;
};

/** Providers that need nothing but a key. */
export type BuiltInProvider = 'openai' | 'anthropic' | 'google' | 'mistral';

const providers: Record<BuiltInProvider, BuiltIn> = {
  openai: { keys: ['OPENAI_API_KEY'], baseURL: 'https://api.openai.com/v1' },
  anthropic: {
    keys: ['ANTHROPIC_API_KEY'],
    baseURL: 'https://api.anthropic.com/v1',
    browserHeaders: { 'anthropic-dangerous-direct-browser-access': 'true' },
  },
  google: {
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  },
  mistral: { keys: ['MISTRAL_API_KEY'], baseURL: 'https://api.mistral.ai/v1' },
};

/** The names of the built-in providers. */
export const builtInProviders: readonly BuiltInProvider[] = Object.keys(providers) as BuiltInProvider[];

/** True for the name of a built-in provider. */
export function isBuiltIn(name: string): name is BuiltInProvider {
  return Object.hasOwn(providers, name);
}

/** A model of a built-in provider. Throws `missing_key`, `missing_package` or `invalid_base_url`. */
export async function createBuiltInModel(
  provider: BuiltInProvider,
  modelId: string,
  { env, fetch, packages }: ModelContext,
): Promise<LanguageModelV4> {
  const { keys, baseURL, browserHeaders } = providers[provider];
  const apiKey = keys.map((name) => readVariable(env, name)).find((value) => value !== undefined);
  if (apiKey === undefined) {
    throw new CuelineError(
      'missing_key',
      `No API key for ${provider}. Set ${keys[0]}, or use simulated:demo, which needs none.`,
      { details: { provider, variable: keys[0] } },
    );
  }
  const prefix = provider.toUpperCase();
  const baseVariable = [`${prefix}_API_BASE`, `${prefix}_BASE_URL`].find(
    (name) => readVariable(env, name) !== undefined,
  );
  const custom = baseVariable === undefined ? undefined : readVariable(env, baseVariable);
  const url =
    baseVariable === undefined || custom === undefined ? baseURL : checkBaseUrl(custom, baseVariable);
  const create = await loadPackage(provider, packages);
  return create({
    apiKey,
    baseURL: url,
    fetch,
    ...(browserHeaders !== undefined && isBrowser() ? { headers: browserHeaders } : {}),
  })(modelId);
}
