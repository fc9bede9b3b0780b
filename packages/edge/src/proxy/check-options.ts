import { CuelineError } from '@cueline/core';
import { type BuiltInProvider, checkBaseUrl, type Environment } from '@cueline/core/models';
import { createIdentify } from '../identify.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { KillSwitchOption } from '../limits/kill-switch.ts';
import { createMemoryLimits } from '../limits/memory-limits.ts';
import { checkPrices, priceOf, type Prices } from '../limits/prices.ts';
import { checkOrigins } from '../origins.ts';
import { createRequestCount, type RequestCount } from '../count-requests.ts';
import { createOpenBodies, type OpenBodies } from '../open-bodies.ts';
import { apiOfPath, knownPaths } from './api.ts';
import type { PathRule } from './match-path.ts';
import type { ModelProxyOptions, ProxiedProvider, ProxyLimits, ProxyTimeouts } from './options.ts';
import type { ProxyEvent } from './proxy-event.ts';
import { shortestKey } from './redact.ts';

/** A provider with everything filled in. */
export type CheckedProvider = {
  name: string;
  baseURL: string;
  paths: readonly PathRule[];
  models: readonly string[];
  fields: readonly string[] | undefined;
  contextTokens: number | undefined;
  key(env: Environment): string | undefined;
};

/** The options with everything filled in. */
export type ProxySettings = {
  basePath: string;
  providers: ReadonlyMap<string, CheckedProvider>;
  whoAsks: ReturnType<typeof checkOrigins>;
  identify: ReturnType<typeof createIdentify>;
  limits: ProxyLimits;
  /** Throws a Refusal with 429. */
  requests: RequestCount;
  readWithinLimit: OpenBodies;
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
  // of `rpm`, where it is not given
  requests: NaN,
};

const defaultTimeouts: ProxyTimeouts = { ttfbMs: 60_000, idleMs: 60_000, totalMs: 600_000 };

type Preset = { baseURL: string; paths: readonly string[]; keys: readonly string[] };

const presets: Record<BuiltInProvider, Preset> = {
  openai: {
    baseURL: 'https://api.openai.com/v1',
    paths: ['/chat/completions', '/responses'],
    keys: ['OPENAI_API_KEY'],
  },
  anthropic: {
    baseURL: 'https://api.anthropic.com/v1',
    paths: ['/messages'],
    keys: ['ANTHROPIC_API_KEY'],
  },
  google: {
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    paths: ['/models/{model}:generateContent', '/models/{model}:streamGenerateContent'],
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
  },
  mistral: {
    baseURL: 'https://api.mistral.ai/v1',
    paths: ['/chat/completions'],
    keys: ['MISTRAL_API_KEY'],
  },
};

/** Checks the options once, and fills in what is left out. Throws `invalid_options` or `invalid_base_url`. */
export function checkOptions(options: ModelProxyOptions): ProxySettings {
  const basePath = options.basePath ?? '/api/models';
  if (!/^(\/[\w.~-]+)+$/.test(basePath) || basePath.split('/').some((part) => /^\.+$/.test(part))) {
    throw invalid('basePath is no path such as /api/models, without a slash at its end.');
  }
  const names = Object.keys(options.providers ?? {});
  if (names.length === 0) throw invalid("providers is empty. Pass { openai: { models: ['gpt-…'] } }.");
  const now = options.now ?? Date.now;
  const limits = numbers('limits', defaultLimits, options.limits);
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
    whoAsks: checkOrigins(options.origins, options.development),
    identify: createIdentify(options, (error) => onEvent({ type: 'failed', error })),
    limits,
    requests: createRequestCount(limits.requests),
    readWithinLimit: createOpenBodies(Math.max(16, limits.concurrent * 4)),
    timeouts: numbers('timeouts', defaultTimeouts, options.timeouts),
    store: options.store ?? createMemoryLimits({ now }),
    // looked up at each call, and called as a global's own method
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    onEvent,
    now,
  };
}

/** What has no price cannot be kept within a limit of money. */
function checkAllPriced(prices: Prices, providers: ReadonlyMap<string, CheckedProvider>): void {
  for (const { name, models } of providers.values()) {
    const model = models.find((id) => priceOf(prices, name, id) === undefined);
    if (model === undefined) continue;
    throw invalid(
      `limits.dailyCost needs a price of each model, and ${name}:${model} has none. Add prices: { '${name}:${model}': { input: 2.5, output: 10 } }, each for a million tokens.`,
    );
  }
}

function checkProvider(name: string, given: ProxiedProvider): CheckedProvider {
  const where = `providers.${name}`;
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) {
    throw invalid(`${where}: a provider's name has only letters, digits, - and _.`);
  }
  const preset = Object.hasOwn(presets, name) ? presets[name as keyof typeof presets] : undefined;
  const baseURL = given.baseURL ?? preset?.baseURL;
  if (baseURL === undefined) {
    throw invalid(`${where} has no baseURL. Write one such as https://api.example.com/v1.`);
  }
  if (!Array.isArray(given.models) || !given.models.every((model) => typeof model === 'string' && model)) {
    throw invalid(`${where} has no models. List the ids that may be asked, such as ['gpt-…'].`);
  }
  const { apiKey, contextTokens } = given;
  if (contextTokens !== undefined && !(contextTokens > 0)) {
    throw invalid(`${where}.contextTokens is no number above 0.`);
  }
  if (apiKey === undefined && preset === undefined) {
    throw invalid(`${where} has no apiKey. Pass (env) => env.MY_API_KEY.`);
  }
  // a server of one's own may ask for any word, and the four for none so short
  const shortest = given.baseURL === undefined ? shortestKey : 1;
  if (typeof apiKey === 'string' && apiKey.trim().length < shortest) {
    throw invalid(
      `${where}.apiKey is too short to be a key. Pass the provider's, or the baseURL of another.`,
    );
  }
  return {
    name,
    baseURL: checkBaseUrl(baseURL, `${where}.baseURL`),
    paths: (given.paths ?? preset?.paths ?? ['/chat/completions']).map((path) => {
      const api = apiOfPath(path, name);
      if (api !== undefined) return { path, api };
      throw invalid(
        `${where}.paths has "${path}", whose bodies cannot be checked. Known paths: ${knownPaths.join(', ')}.`,
      );
    }),
    models: given.models,
    fields: given.fields,
    contextTokens,
    key: (env) => {
      const found =
        typeof apiKey === 'function'
          ? apiKey(env)
          : (apiKey ?? preset?.keys.map((key) => env[key]).find((value) => value));
      const key = typeof found === 'string' ? found.trim() : '';
      return key.length < shortest ? undefined : key;
    },
  };
}

function numbers<Numbers extends Record<string, number>>(
  where: string,
  defaults: Numbers,
  given: Partial<Numbers> = {},
): Numbers {
  const all: Record<string, number> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaults, name)) {
      throw invalid(`${where}.${name} is not known. Known: ${Object.keys(defaults).join(', ')}.`);
    }
    if (typeof value !== 'number' || !(value > 0)) throw invalid(`${where}.${name} is no number above 0.`);
    all[name] = value;
  }
  return all as Numbers;
}

/** What watches must not be able to stop what it watches. */
function watched(tell: ModelProxyOptions['onEvent']): ProxySettings['onEvent'] {
  return (event) => {
    void (async () => tell?.(event))().catch(() => {});
  };
}

function invalid(message: string): CuelineError {
  return new CuelineError('invalid_options', `createModelProxy: ${message}`);
}
