import type { LanguageModelV4 } from '@ai-sdk/provider';
import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import { checkBaseUrl } from './base-url.ts';
import { type Environment, readVariable } from './environment.ts';
import { loadPackage } from './load-package.ts';
import { isBrowser } from './platform.ts';
import { type BuiltInProvider, type ProviderRow, providers } from './providers.ts';
import type { ModelContext } from './settings.ts';

/** The names of the built-in providers. */
export const builtInProviders: readonly BuiltInProvider[] = Object.keys(providers) as BuiltInProvider[];

/** True for the name of a built-in provider. */
export function isBuiltIn(name: string): name is BuiltInProvider {
  return Object.hasOwn(providers, name);
}

/**
 * Creates a model of a built-in provider. Throws `missing_key`, `missing_setting`, `missing_package`,
 * `invalid_base_url` or `invalid_options`.
 */
export async function createBuiltInModel(
  provider: BuiltInProvider,
  modelId: string,
  { env, isEnvPassed, fetch, packages }: ModelContext,
): Promise<LanguageModelV4> {
  const row: ProviderRow = providers[provider];
  const apiKey = row.keys.map((name) => readVariable(env, name)).find((value) => value !== undefined);
  const account = readAccount(row, env);
  const url = readBaseUrl(provider, env);
  if (!row.platform?.some((name) => readVariable(env, name) !== undefined)) {
    checkEnough(provider, row, { apiKey, baseURL: url, ...account }, isBrowser() && !isEnvPassed);
  }
  const baseURL = url ?? row.baseURL;
  const create = await loadPackage(provider, packages);
  const { withSchemaFallback } = await loadModule('models', import('./schema-fallback.ts'));
  try {
    const model = create({
      apiKey,
      fetch,
      account,
      ...(baseURL === undefined ? {} : { baseURL }),
      ...(row.browserHeaders !== undefined && isBrowser() ? { headers: row.browserHeaders } : {}),
    })(modelId);
    return withSchemaFallback(model);
  } catch (error) {
    // a setting that cannot be part of an address, such as a region with a slash
    const reason = thrownText(error);
    throw new CuelineError('invalid_options', `Models of "${provider}" cannot be made: ${reason}`, {
      cause: error,
    });
  }
}

function readAccount({ account = {} }: ProviderRow, env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(account).flatMap(([setting, variable]) => {
      const value = readVariable(env, variable);
      return value === undefined ? [] : [[setting, value]];
    }),
  );
}

/** Returns the base URL that the environment sets for a built-in provider. Throws `invalid_base_url`. */
function readBaseUrl(provider: BuiltInProvider, env: Environment): string | undefined {
  for (const variable of baseVariables(provider)) {
    const value = readVariable(env, variable);
    if (value !== undefined) return checkBaseUrl(value, variable);
  }
  return undefined;
}

function baseVariables(provider: BuiltInProvider): readonly [string, ...string[]] {
  const { bases = [`${provider.toUpperCase()}_API_BASE`] }: ProviderRow = providers[provider];
  return bases;
}

/**
 * Throws unless the settings are sufficient in one of the provider's ways of authentication. `isKeyless`: the caller is
 * a page that passed no environment.
 */
function checkEnough(
  provider: BuiltInProvider,
  { keys, account = {}, needs = [['apiKey']], hint }: ProviderRow,
  settings: Readonly<Record<string, string | undefined>>,
  isKeyless: boolean,
): void {
  const lacking = needs.map((names) => names.filter((name) => settings[name] === undefined));
  const fewest = Math.min(...lacking.map((names) => names.length));
  if (fewest === 0) return;
  // suggests to complete a way that has been begun, otherwise all of them
  const isBegun = lacking.some((names, index) => names.length < needs[index]!.length);
  const variableOf = (name: string): string =>
    name === 'apiKey' ? keys[0] : (account[name] ?? baseVariables(provider)[0]);
  const ways = lacking
    .filter((names) => !isBegun || names.length === fewest)
    .map((names) => names.map(variableOf));
  const set = `Set ${ways.map(toList).join(', or ')}`;
  const advice = isKeyless ? `A page has no key. ${withoutKeys(ways[0]!)}` : set;
  throw new CuelineError(
    isBegun ? 'missing_setting' : 'missing_key',
    (isBegun
      ? `Provider "${provider}" is not fully described. ${set} as well.`
      : `No API key for ${provider}. ${advice}, or use simulated:demo, which needs none.`) +
      (hint === undefined ? '' : ` ${hint}`),
    {
      details: {
        provider,
        variable: ways[0]![0],
        ...(ways.length > 1 || ways[0]!.length > 1 ? { variables: ways.flat() } : {}),
      },
    },
  );
}

/** Says how a page gets a model's answers without a key of its own. */
function withoutKeys(variables: readonly string[]): string {
  const env = variables.map((name) => `${name}: …`).join(', ');
  return `Run the prompt on a server (viaRoute), call the model through one (models={proxied('/api/models')}), pass the user's own key (models={{ env: { ${env} } }})`;
}

/** Returns `A, B and C`. */
function toList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/**
 * Returns the address of a provider's API and the variables that may hold its key; undefined for a provider that
 * needs more.
 */
export function providerDefaults(
  provider: BuiltInProvider,
): { baseURL: string; keys: readonly [string, ...string[]] } | undefined {
  const { baseURL, keys } = providers[provider];
  return baseURL === undefined ? undefined : { baseURL, keys };
}
