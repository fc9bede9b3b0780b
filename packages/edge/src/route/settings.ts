import { isPromptDefinition, type LimitOptions, type PromptDefinition } from '@cueline/core';
import { checkStore } from '../base/check-store.ts';
import { checkKillSwitch } from '../limits/kill-switch.ts';
import { checkLimitStore, type LimitStore } from '../limits/limit-store.ts';
import { createMemoryLimits } from '../limits/memory-limits.ts';
import type { Prices } from '../limits/prices.ts';
import { createMemoryRuns } from '../stores/memory-runs.ts';
import type { RunLogStore } from '../stores/run-log-store.ts';
import { checkDurable } from './check-durable.ts';
import { withGuard } from './guard/guard-settings.ts';
import { invalidOptionsError } from './invalid-options-error.ts';
import { checkRouteOptions } from './option-names.ts';
import { readPermissions, type Permissions } from './permissions.ts';
import type { PromptRouteEvent, PromptRouteOptions } from './prompt-route-options.ts';
import { readLimits, readPrices, type RouteOnlyLimits } from './read-limits.ts';

/** A route's options with all defaults. */
export type RouteSettings = RouteOnlyLimits & {
  definitions: ReadonlyMap<string, PromptDefinition<unknown>>;
  options: PromptRouteOptions;
  /** The run's own limits, as they were given. */
  runLimits: LimitOptions;
  store: RunLogStore;
  limitStore: LimitStore;
  prices: Prices;
  showErrors: boolean;
  showRequests: boolean;
  permissions: Permissions;
  report(event: PromptRouteEvent): void;
};

/** Checks a route's options. @throws CuelineError `invalid_options` */
export function readSettings(
  definitions: readonly PromptDefinition<never>[],
  given: PromptRouteOptions,
): RouteSettings {
  checkRouteOptions(given);
  checkKillSwitch(given.killSwitch, 'createPromptRoute');
  const storeMethods = ['create', 'find', 'get', 'append', 'read', 'send', 'messages'] as const;
  checkStore('createPromptRoute: store', given.store, storeMethods, 'store: createRedisRuns(client)');
  checkLimitStore('createPromptRoute', 'limitStore', given.limitStore);
  if (definitions.length === 0) throw invalidOptionsError('There is no prompt. Pass one, or a list of them.');
  const byName = new Map<string, PromptDefinition<unknown>>();
  for (const definition of definitions) {
    if (!isPromptDefinition(definition)) {
      throw invalidOptionsError(
        "One of the prompts is not a prompt. Pass what definePrompt('name', …) returns.",
      );
    }
    const { name } = definition;
    if (definition.remote === true) {
      throw invalidOptionsError(
        `"${name}" is a remotePrompt, which has only a name. Import what definePrompt('${name}', …) returns.`,
      );
    }
    if (byName.has(name))
      throw invalidOptionsError(`Two prompts have the name "${name}". Rename one of them.`);
    checkSchema(definition);
    // a client's input is checked with its schema
    byName.set(name, definition);
  }
  checkDurable(given, byName.keys());
  const options = withGuard(given);
  const { own, run } = readLimits(options.limits ?? {});
  const { dailyTokens, dailyCost } = options.limits ?? {};
  if (options.auth === 'none' && dailyTokens === undefined && dailyCost === undefined) {
    throw invalidOptionsError(
      "auth is 'none' without limits.dailyTokens or limits.dailyCost, so every caller could spend without limit. Set how much each address may use per day: limits: { dailyTokens: 200_000 }, or limits: { dailyCost: 1 } together with prices.",
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
  throw invalidOptionsError(
    `The function of prompt "${name}" takes input, and the prompt has no schema for it, so clients could send anything. Write definePrompt('${name}', …, { input: z.object({ … }) }).`,
  );
}
