import type { LimitOptions, Limits } from '@cueline/core';
import { checkPrices, type Prices } from '../limits/prices.ts';
import { invalidOptionsError } from './invalid-options-error.ts';
import type { PromptRouteLimits, PromptRouteOptions } from './prompt-route-options.ts';

/** The limits of a route that are not those of a run. */
export type RouteOnlyLimits = Omit<PromptRouteLimits, keyof Limits>;

const routeDefaults: RouteOnlyLimits = {
  bodyBytes: 1 << 20,
  concurrent: 4,
  rpm: 20,
  dailyTokens: Infinity,
  totalDailyTokens: Infinity,
  dailyCost: Infinity,
  totalDailyCost: Infinity,
  maxOutputTokens: Infinity,
  contextTokens: 200_000,
  memoryBytes: 256 << 20,
  runMs: 15 * 60_000,
  replayMs: 5 * 60_000,
  quietMs: 15_000,
  // the output of a client tool may be as long as that of any tool, and longer as JSON
  commandBytes: 512 << 10,
  inputBytes: 256 << 10,
  inputNodes: 10_000,
  inputDepth: 32,
  // derived from `rpm` and `concurrent`, unless they are given
  requests: NaN,
  streams: NaN,
  streamsPerRun: 8,
};

/** The default limits of a run. Limits that a client requests cannot exceed them. */
export const runDefaults: Required<Limits> = {
  steps: 50,
  toolCalls: 200,
  toolCallsPerStep: 32,
  concurrentToolCalls: 8,
  depth: 5,
  tokens: Infinity,
};

/**
 * Returns the limits of a route with all defaults, and those of its runs as they are given.
 * @throws CuelineError `invalid_options`
 */
export function readLimits(
  options: NonNullable<PromptRouteOptions['limits']>,
  where = 'createPromptRoute',
): { own: RouteOnlyLimits; run: LimitOptions } {
  const own = { ...routeDefaults };
  const run: LimitOptions = {};
  for (const [name, value] of Object.entries(options)) {
    const isOwn = Object.hasOwn(own, name);
    if (!isOwn && !Object.hasOwn(runDefaults, name)) {
      const known = [...Object.keys(routeDefaults), ...Object.keys(runDefaults)];
      throw invalidOptionsError(`There is no limit "${name}". Known: ${known.join(', ')}.`, where);
    }
    if (value === undefined) continue;
    const least = leastOf(name);
    // written so that NaN is refused
    if (typeof value !== 'number' || !(value >= least)) {
      throw invalidOptionsError(
        `limits.${name} is ${String(value)}. Give a number of at least ${least}.`,
        where,
      );
    }
    if (name === 'contextTokens' && value === Infinity) {
      throw invalidOptionsError(
        'limits.contextTokens is Infinity. Give the most tokens that one of the models reads.',
        where,
      );
    }
    if (isOwn) own[name as keyof RouteOnlyLimits] = value;
    else run[name as keyof Limits] = value;
  }
  if (Number.isNaN(own.requests)) own.requests = Math.max(120, own.rpm * 6);
  if (Number.isNaN(own.streams)) own.streams = Math.max(16, own.concurrent * 4);
  return { own, run };
}

function leastOf(name: string): number {
  if (name === 'dailyCost' || name === 'totalDailyCost') return 0;
  return name === 'toolCalls' || name === 'depth' || name === 'replayMs' ? 0 : 1;
}

/** Checks the prices that limits of the cost need. @throws CuelineError `invalid_options` */
export function readPrices(
  options: Prices | undefined,
  { dailyCost, totalDailyCost }: Pick<RouteOnlyLimits, 'dailyCost' | 'totalDailyCost'>,
  where = 'createPromptRoute',
): Prices {
  const prices = checkPrices(options, where);
  if (Math.min(dailyCost, totalDailyCost) < Infinity && Object.keys(prices).length === 0) {
    throw invalidOptionsError(
      "limits.dailyCost needs prices. Add prices: { 'openai:gpt-4o': { input: 2.5, output: 10 } }, each per million tokens.",
      where,
    );
  }
  return prices;
}
