import { CuelineError, isPromptDefinition, type Limits, type PromptDefinition } from '@cueline/core';
import type { LimitStore } from '../limits/limit-store.ts';
import { createMemoryLimits } from '../limits/memory-limits.ts';
import { checkPrices, type Prices } from '../limits/prices.ts';
import { createMemoryRuns } from '../stores/memory-runs.ts';
import type { RunLogStore } from '../stores/run-log-store.ts';
import { readPermissions, type Permissions } from './permissions.ts';
import { checkDurable } from './check-durable.ts';
import { checkRouteOptions } from './option-names.ts';
import type { PromptRouteEvent, PromptRouteLimits, PromptRouteOptions } from './prompt-route-options.ts';

type RouteOnlyLimits = Omit<PromptRouteLimits, keyof Limits>;

/** A route's options with all defaults. */
export type RouteSettings = RouteOnlyLimits & {
  definitions: ReadonlyMap<string, PromptDefinition<unknown>>;
  options: PromptRouteOptions;
  /** The run's own limits, as they were given. */
  runLimits: Partial<Limits>;
  store: RunLogStore;
  limitStore: LimitStore;
  prices: Prices;
  showErrors: boolean;
  showRequests: boolean;
  permissions: Permissions;
  report(event: PromptRouteEvent): void;
};

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

/** Checks a route's options. @throws CuelineError `invalid_options` */
export function readSettings(
  definitions: readonly PromptDefinition<never>[],
  options: PromptRouteOptions,
): RouteSettings {
  checkRouteOptions(options);
  if (definitions.length === 0) throw invalid('There is no prompt. Pass one, or a list of them.');
  const byName = new Map<string, PromptDefinition<unknown>>();
  for (const definition of definitions) {
    if (!isPromptDefinition(definition)) {
      throw invalid("One of the prompts is not a prompt. Pass what definePrompt('name', …) returns.");
    }
    const { name } = definition;
    if (name === '') throw invalid("One of the prompts has no name. Write definePrompt('plan-day', …).");
    if (definition.remote === true) {
      throw invalid(
        `"${name}" is a remotePrompt, which has only a name. Import what definePrompt('${name}', …) returns.`,
      );
    }
    if (byName.has(name)) throw invalid(`Two prompts have the name "${name}". Rename one of them.`);
    checkSchema(definition);
    // a client's input is checked with its schema
    byName.set(name, definition);
  }
  checkDurable(options, byName.keys());
  const { own, run } = readLimits(options.limits ?? {});
  const { dailyTokens, dailyCost } = options.limits ?? {};
  if (options.auth === 'none' && dailyTokens === undefined && dailyCost === undefined) {
    throw invalid(
      "auth is 'none' without limits.dailyTokens, so every caller could spend without limit. Set how much each address may use per day: limits: { dailyTokens: 200_000 }.",
    );
  }
  return {
    ...own,
    definitions: byName,
    options,
    runLimits: { ...options.options?.limits, ...run },
    store: options.store ?? createMemoryRuns(),
    limitStore: options.limitStore ?? createMemoryLimits(),
    prices: readPrices(options.prices, own),
    showErrors: options.showErrors ?? options.development === true,
    showRequests: options.showRequests ?? options.development === true,
    permissions: readPermissions(options),
    report(event) {
      // a failing listener must not end the request
      void (async () => options.onEvent?.(event))().catch(() => {});
    },
  };
}

/** A client's input is foreign, so a prompt with input needs a schema for it. */
function checkSchema({ name, run, input }: PromptDefinition<unknown>): void {
  if (input !== undefined || run.length < 2) return;
  throw invalid(
    `The function of prompt "${name}" takes input, and the prompt has no schema for it, so clients could send anything. Write definePrompt('${name}', …, { input: z.object({ … }) }).`,
  );
}

function readLimits(options: Partial<PromptRouteLimits>): { own: RouteOnlyLimits; run: Partial<Limits> } {
  const own = { ...routeDefaults };
  const run: Partial<Limits> = {};
  for (const [name, value] of Object.entries(options)) {
    const isOwn = Object.hasOwn(own, name);
    if (!isOwn && !Object.hasOwn(runDefaults, name)) {
      const known = [...Object.keys(routeDefaults), ...Object.keys(runDefaults)];
      throw invalid(`There is no limit "${name}". Known: ${known.join(', ')}.`);
    }
    if (value === undefined) continue;
    const least = leastOf(name);
    // written so that NaN is refused
    if (typeof value !== 'number' || !(value >= least)) {
      throw invalid(`limits.${name} is ${String(value)}. Give a number from ${least} on.`);
    }
    if (name === 'contextTokens' && value === Infinity) {
      throw invalid('limits.contextTokens is Infinity. Give the most tokens that one of the models reads.');
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

function readPrices(options: Prices | undefined, { dailyCost, totalDailyCost }: RouteOnlyLimits): Prices {
  const prices = checkPrices(options, 'createPromptRoute');
  if (Math.min(dailyCost, totalDailyCost) < Infinity && Object.keys(prices).length === 0) {
    throw invalid(
      "limits.dailyCost needs prices. Add prices: { 'openai:gpt-4o': { input: 2.5, output: 10 } }, each per million tokens.",
    );
  }
  return prices;
}

function invalid(message: string): CuelineError {
  return new CuelineError('invalid_options', `createPromptRoute: ${message}`);
}
