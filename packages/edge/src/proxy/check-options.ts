import { CuelineError } from '@cueline/core';
import {
  builtInProviders,
  checkBaseUrl,
  type Environment,
  providerDefaults,
  type ProxiedName,
} from '@cueline/core/models';
import { checkNames, isUnawaited, refusePromises } from '@cueline/core/server';
import { createRequestCount, type RequestCount } from '../http/count-requests.ts';
import { createIdentify } from '../http/identify.ts';
import { createMemoryUse, type MemoryUse } from '../http/memory-use.ts';
import { createOpenBodies, type OpenBodies } from '../http/open-bodies.ts';
import { checkOrigins } from '../http/origins.ts';
import { checkKillSwitch, type KillSwitchOption } from '../limits/kill-switch.ts';
import { checkLimitStore, type LimitStore } from '../limits/limit-store.ts';
import { createMemoryLimits } from '../limits/memory-limits.ts';
import { checkPrices, priceOf, type Prices } from '../limits/prices.ts';
import { apiOfPath, knownPaths } from './api-of-path.ts';
import type { PathRule } from './match-path.ts';
import type { ModelProxyOptions, ProxiedProvider, ProxyLimits, ProxyTimeouts } from './options.ts';
import type { ProxyEvent } from './proxy-event.ts';
import { shortestKey } from './redact.ts';

/** A provider with all defaults filled in. */
export type CheckedProvider = {
  name: string;
  baseURL: string;
  paths: readonly PathRule[];
  models: readonly string[];
  fields: readonly string[] | undefined;
  contextTokens: number | undefined;
  key(env: Environment): string | undefined;
  /** The variables that may have the key; none if the options have an `apiKey`. */
  keyVariables: readonly string[];
};

/** The options with all defaults filled in. */
export type ProxySettings = {
  basePath: string;
  providers: ReadonlyMap<string, CheckedProvider>;
  requesterOf: ReturnType<typeof checkOrigins>;
  identify: ReturnType<typeof createIdentify>;
  limits: ProxyLimits;
  /** Throws an HttpError with 429. */
  requests: RequestCount;
  readWithinLimit: OpenBodies;
  memory: MemoryUse;
  timeouts: ProxyTimeouts;
  store: LimitStore;
  prices: Prices;
  killSwitch: KillSwitchOption | undefined;
  fetch: typeof globalThis.fetch;
  /** Never throws. */
  onEvent(event: ProxyEvent): void;
  now: () => number;
};

const defaultLimits: ProxyLimits = {
  bodyBytes: 1 << 20,
  memoryBytes: 256 << 20,
  responseBytes: 16 << 20,
  eventBytes: 1 << 20,
  errorBytes: 64 << 10,
  maxOutputTokens: 4_096,
  rpm: 20,
  concurrent: 4,
  dailyTokens: 200_000,
  totalDailyTokens: Infinity,
  dailyCost: Infinity,
  totalDailyCost: Infinity,
  // of `rpm`, if it is not given
  requests: NaN,
};

const defaultTimeouts: ProxyTimeouts = { ttfbMs: 60_000, idleMs: 60_000, totalMs: 600_000 };

/** The open paths of each provider whose address and key are known. */
const openPaths: Record<ProxiedName, readonly string[]> = {
  openai: ['/chat/completions', '/responses'],
  anthropic: ['/messages'],
  google: ['/models/{model}:generateContent', '/models/{model}:streamGenerateContent'],
  mistral: ['/chat/completions'],
  groq: ['/chat/completions'],
  deepseek: ['/chat/completions'],
  togetherai: ['/chat/completions'],
  fireworks: ['/chat/completions'],
};

/** Every option of a proxy, and of one of its providers. The compiler compares these lists with the types. */
const optionNames: Record<keyof ModelProxyOptions, true> = {
  address: true,
  auth: true,
  basePath: true,
  development: true,
  fetch: true,
  killSwitch: true,
  limits: true,
  now: true,
  onEvent: true,
  origins: true,
  prices: true,
  providers: true,
  requestHeaders: true,
  store: true,
  timeouts: true,
};
const providerNames: Record<keyof ProxiedProvider, true> = {
  apiKey: true,
  baseURL: true,
  contextTokens: true,
  fields: true,
  models: true,
  paths: true,
};

/** Checks the options once, and fills in the defaults. Throws `invalid_options` or `invalid_base_url`. */
export function checkOptions(options: ModelProxyOptions): ProxySettings {
  checkNames('createModelProxy', options ?? null, Object.keys(optionNames), 'invalid_options');
  refusePromises('createModelProxy', options);
  checkKillSwitch(options.killSwitch, 'createModelProxy');
  checkLimitStore('createModelProxy', 'store', options.store);
  const basePath = options.basePath ?? '/api/models';
  if (!/^(\/[\w.~-]+)+$/.test(basePath) || basePath.split('/').some((part) => /^\.+$/.test(part))) {
    throw invalidOptionsError('basePath is not a path such as /api/models, without a slash at its end.');
  }
  const names = Object.keys(options.providers ?? {});
  if (names.length === 0)
    throw invalidOptionsError("providers is empty. Pass { openai: { models: ['gpt-…'] } }.");
  const now = options.now ?? Date.now;
  const limits = numbers('limits', defaultLimits, options.limits);
  // a call without a length gets this one
  if (limits.maxOutputTokens === Infinity) {
    throw invalidOptionsError(
      'limits.maxOutputTokens is Infinity. Give the most tokens that one answer may have, such as 16_384.',
    );
  }
  if (Number.isNaN(limits.requests)) limits.requests = Math.max(120, limits.rpm * 6);
  const onEvent = watched(options.onEvent);
  const providers = new Map(names.map((name) => [name, checkProvider(name, options.providers[name]!)]));
  const prices = checkPrices(options.prices, 'createModelProxy');
  if (Math.min(limits.dailyCost, limits.totalDailyCost) < Infinity) checkAllPriced(prices, providers);
  return {
    basePath,
    providers,
    prices,
    killSwitch: options.killSwitch,
    requesterOf: checkOrigins(options.origins, options.development),
    identify: createIdentify(options, (error) => onEvent({ type: 'failed', error })),
    limits,
    requests: createRequestCount(limits.requests),
    readWithinLimit: createOpenBodies(Math.max(16, limits.concurrent * 4)),
    memory: createMemoryUse(limits.memoryBytes),
    timeouts: numbers('timeouts', defaultTimeouts, options.timeouts),
    store: options.store ?? createMemoryLimits({ now }),
    // looked up at each call, and called as the global's own method
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    onEvent,
    now,
  };
}

/** A model without a price cannot be kept within a limit of money. */
function checkAllPriced(prices: Prices, providers: ReadonlyMap<string, CheckedProvider>): void {
  for (const { name, models } of providers.values()) {
    const model = models.find((id) => priceOf(prices, name, id) === undefined);
    if (model === undefined) continue;
    throw invalidOptionsError(
      `limits.dailyCost needs a price of each model, and ${name}:${model} has none. Add prices: { '${name}:${model}': { input: 2.5, output: 10 } }, each per million tokens.`,
    );
  }
}

function checkProvider(name: string, options: ProxiedProvider): CheckedProvider {
  const where = `providers.${name}`;
  checkNames(`createModelProxy: ${where}`, options, Object.keys(providerNames), 'invalid_options');
  refusePromises(`createModelProxy: ${where}`, options);
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) {
    throw invalidOptionsError(`${where}: a provider's name may only contain letters, digits, - and _.`);
  }
  const preset = isProxied(name) ? { ...providerDefaults(name)!, paths: openPaths[name] } : undefined;
  const baseURL = options.baseURL ?? preset?.baseURL;
  if (baseURL === undefined && (builtInProviders as readonly string[]).includes(name)) {
    throw invalidOptionsError(
      `${where}: the API of ${name} cannot be checked. Use createPromptRoute, whose prompts may use any provider, or give the baseURL and apiKey of an OpenAI-compatible address.`,
    );
  }
  if (baseURL === undefined) {
    throw invalidOptionsError(`${where} has no baseURL. Write one such as https://api.example.com/v1.`);
  }
  if (
    !Array.isArray(options.models) ||
    !options.models.every((model) => typeof model === 'string' && model)
  ) {
    throw invalidOptionsError(`${where} has no models. List the ids that may be called, such as ['gpt-…'].`);
  }
  const { apiKey, contextTokens } = options;
  if (contextTokens !== undefined && !(contextTokens > 0 && contextTokens < Infinity)) {
    throw invalidOptionsError(
      `${where}.contextTokens is ${String(contextTokens)}. Give the most tokens that one of the models reads, such as 200_000.`,
    );
  }
  if (apiKey === undefined && preset === undefined) {
    throw invalidOptionsError(`${where} has no apiKey. Pass (env) => env.MY_API_KEY.`);
  }
  // your own server may expect any word; the known providers have no key this short
  const shortest = options.baseURL === undefined ? shortestKey : 1;
  if (typeof apiKey === 'string' && apiKey.trim().length < shortest) {
    throw invalidOptionsError(
      `${where}.apiKey is too short to be a key. Pass the provider's key, or the baseURL of another provider.`,
    );
  }
  return {
    name,
    baseURL: checkBaseUrl(baseURL, `${where}.baseURL`),
    paths: (options.paths ?? preset?.paths ?? ['/chat/completions']).map((path) => {
      const api = apiOfPath(path, name);
      if (api !== undefined) return { path, api };
      throw invalidOptionsError(
        `${where}.paths has "${path}", whose bodies cannot be checked. Known paths: ${knownPaths.join(', ')}.`,
      );
    }),
    models: options.models,
    fields: options.fields,
    contextTokens,
    key: (env) => {
      const found =
        typeof apiKey === 'function'
          ? apiKey(env)
          : (apiKey ?? preset?.keys.map((key) => env[key]).find((value) => value));
      if (isUnawaited(found)) {
        throw invalidOptionsError(
          `${where}.apiKey returned a promise. Get the key before, and write a function without async: (env) => env.MY_API_KEY.`,
        );
      }
      const key = typeof found === 'string' ? found.trim() : '';
      return key.length < shortest ? undefined : key;
    },
    keyVariables: apiKey === undefined ? (preset?.keys ?? []) : [],
  };
}

function isProxied(name: string): name is ProxiedName {
  return Object.hasOwn(openPaths, name);
}

function numbers<Numbers extends Record<string, number>>(
  where: string,
  defaults: Numbers,
  options: Partial<Numbers> = {},
): Numbers {
  const all: Record<string, number> = { ...defaults };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaults, name)) {
      throw invalidOptionsError(`${where}.${name} is not known. Known: ${Object.keys(defaults).join(', ')}.`);
    }
    if (typeof value !== 'number' || !(value > 0))
      throw invalidOptionsError(`${where}.${name} is not a number above 0.`);
    all[name] = value;
  }
  return all as Numbers;
}

/** An observer must not be able to break what it observes. */
function watched(report: ModelProxyOptions['onEvent']): ProxySettings['onEvent'] {
  return (event) => {
    void (async () => report?.(event))().catch(() => {});
  };
}

function invalidOptionsError(message: string): CuelineError {
  return new CuelineError('invalid_options', `createModelProxy: ${message}`);
}
