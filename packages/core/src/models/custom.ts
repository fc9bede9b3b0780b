import type { LanguageModelV4 } from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import { checkBaseUrl, isLoopback } from './base-url.ts';
import { type Environment, readVariable, toVariablePart } from './environment.ts';
import { loadPackage } from './load-package.ts';
import type { ModelContext } from './settings.ts';
import { withoutStore } from './without-store.ts';

const types: ReadonlySet<string> = new Set(['openai', 'openai-responses']);

/** The name of the options of OpenAI's package, whatever the provider's name is. */
const STORE_OPTIONS = 'openai';

/** Returns the names of the providers that the environment describes with `<NAME>_API_BASE` and `<NAME>_API_TYPE`. */
export function environmentProviders(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => {
    const prefix = /^(.+)_API_BASE$/.exec(name)?.[1];
    return prefix !== undefined && readVariable(env, name) && readVariable(env, `${prefix}_API_TYPE`)
      ? [prefix.toLowerCase()]
      : [];
  });
}

/** True if the environment has a variable of this provider. */
export function isInEnvironment(provider: string, env: Environment): boolean {
  const prefix = toVariablePart(provider);
  return ['KEY', 'BASE', 'TYPE'].some((part) => readVariable(env, `${prefix}_API_${part}`) !== undefined);
}

/**
 * True if the environment describes an OpenAI-compatible server of this name: it sets `<NAME>_API_BASE`, and
 * `<NAME>_API_TYPE` to a known type. Other libraries use other values of `OPENAI_API_TYPE` and `AZURE_API_TYPE`.
 */
export function isDescribed(provider: string, env: Environment): boolean {
  const prefix = toVariablePart(provider);
  return (
    readVariable(env, `${prefix}_API_BASE`) !== undefined &&
    types.has(readVariable(env, `${prefix}_API_TYPE`) ?? '')
  );
}

/**
 * Creates a model of an OpenAI-compatible server that the environment describes: `<NAME>_API_BASE`, `<NAME>_API_TYPE`
 * (`openai` for Chat Completions, `openai-responses` for Responses) and `<NAME>_API_KEY`, which is optional for a
 * server on this machine. Throws `missing_setting`, `missing_key`, `invalid_base_url` or `invalid_options`.
 */
export async function createEnvironmentModel(
  provider: string,
  modelId: string,
  { env, fetch, packages }: ModelContext,
): Promise<LanguageModelV4> {
  const prefix = toVariablePart(provider);
  const variable = (part: 'KEY' | 'BASE' | 'TYPE'): string => `${prefix}_API_${part}`;
  const apiKey = readVariable(env, variable('KEY'));
  const base = readVariable(env, variable('BASE'));
  const type = readVariable(env, variable('TYPE'));
  if (base === undefined || type === undefined) {
    const missing = [
      ...(base === undefined ? [`${variable('BASE')}=https://…/v1`] : []),
      ...(type === undefined ? [`${variable('TYPE')}=openai`] : []),
    ];
    throw new CuelineError(
      'missing_setting',
      `Provider "${provider}" is not fully described. Set ${missing.join(' and ')} as well.`,
      { details: { provider, variables: missing.map((text) => text.slice(0, text.indexOf('='))) } },
    );
  }
  if (!types.has(type)) {
    throw new CuelineError(
      'invalid_options',
      `${variable('TYPE')} is "${type.slice(0, 40)}". ` +
        'Set it to openai (Chat Completions) or openai-responses (Responses).',
      { details: { provider, variable: variable('TYPE') } },
    );
  }
  const baseURL = checkBaseUrl(base, variable('BASE'));
  if (apiKey === undefined && !isLoopback(baseURL)) {
    throw new CuelineError('missing_key', `No API key for ${provider}. Set ${variable('KEY')}.`, {
      details: { provider, variable: variable('KEY') },
    });
  }
  const create = await loadPackage(type === 'openai' ? 'openai-compatible' : 'openai', packages);
  const { withSchemaFallback } = await loadModule('models', import('./schema-fallback.ts'));
  const model = withSchemaFallback(create({ apiKey, baseURL, fetch, name: provider })(modelId));
  if (type === 'openai') return model;
  // few other servers store answers
  return withoutStore(model, () => STORE_OPTIONS);
}
