import { CuelineError } from '@cueline/core';
import { checkNames, refusePromises } from '@cueline/core/server';
import { checkKillSwitch, type KillSwitchOption } from '../../limits/kill-switch.ts';
import { checkLimitStore, type LimitStore } from '../../limits/limit-store.ts';
import { createMemoryLimits } from '../../limits/memory-limits.ts';
import type { Prices } from '../../limits/prices.ts';
import type { PromptRouteEvent, PromptRouteLimits, PromptRouteOptions } from '../prompt-route-options.ts';
import { readLimits, readPrices } from '../read-limits.ts';

/** The limits that a guard holds. They mean the same as those of a route. */
export type GuardLimits = Pick<
  PromptRouteLimits,
  | 'concurrent'
  | 'contextTokens'
  | 'dailyCost'
  | 'dailyTokens'
  | 'maxOutputTokens'
  | 'totalDailyCost'
  | 'totalDailyTokens'
> & {
  /**
   * How long a run may take in all, in milliseconds, without the time in which it only waits for responses. Default: no
   * limit.
   */
  runMs: number;
};

/** The options of {@link createRunGuard}. */
export type RunGuardOptions = {
  /** What subjects and runs may use. The defaults are those of a route, except that `runMs` has none. */
  limits?: Partial<GuardLimits> | undefined;
  /**
   * Counts the runs and calls of each subject. Workers in several processes need a shared one. Default: the memory of
   * this process.
   */
  limitStore?: LimitStore | undefined;
  /** What models cost. With `limits.dailyCost` or `limits.totalDailyCost`, a model without a price is not called. */
  prices?: Prices | undefined;
  /**
   * Refuses new runs and ends those that call a model while it is on. `stopRuns` ends the steps in this process at
   * once.
   */
  killSwitch?: KillSwitchOption | undefined;
  /**
   * Called with the starts, ends and model calls of runs, in the process in which they happen, and with failures of
   * the store.
   */
  onEvent?: ((event: PromptRouteEvent) => void) | undefined;
};

/** A guard's options with all defaults. */
export type GuardSettings = GuardLimits & {
  limitStore: LimitStore;
  prices: Prices;
  killSwitch: KillSwitchOption | undefined;
  report(event: PromptRouteEvent): void;
};

const optionNames: Record<keyof RunGuardOptions, true> = {
  killSwitch: true,
  limits: true,
  limitStore: true,
  onEvent: true,
  prices: true,
};

const limitNames: Record<keyof GuardLimits, true> = {
  concurrent: true,
  contextTokens: true,
  dailyCost: true,
  dailyTokens: true,
  maxOutputTokens: true,
  runMs: true,
  totalDailyCost: true,
  totalDailyTokens: true,
};

/** The names of the limits that a guard holds. */
export const guardLimits = Object.keys(limitNames) as readonly (keyof GuardLimits)[];

/** Checks the options of a guard. @throws CuelineError `invalid_options` */
export function readGuard(options: RunGuardOptions): GuardSettings {
  const where = 'createRunGuard';
  checkNames(where, options, Object.keys(optionNames), 'invalid_options');
  refusePromises(where, options);
  checkNames(`${where}: limits`, options.limits ?? {}, guardLimits, 'invalid_options');
  checkKillSwitch(options.killSwitch, where);
  checkLimitStore(where, 'limitStore', options.limitStore);
  const { own } = readLimits(options.limits ?? {}, where);
  const runMs = options.limits?.runMs ?? Infinity;
  const { concurrent, contextTokens, dailyCost, dailyTokens } = own;
  const { maxOutputTokens, totalDailyCost, totalDailyTokens } = own;
  const spending = { dailyCost, dailyTokens, totalDailyCost, totalDailyTokens };
  return {
    ...spending,
    concurrent,
    contextTokens,
    maxOutputTokens,
    runMs,
    limitStore: options.limitStore ?? createMemoryLimits(),
    prices: readPrices(options.prices, own, where),
    killSwitch: options.killSwitch,
    report(event) {
      // a failing listener must not end the step
      void (async () => options.onEvent?.(event))().catch(() => {});
    },
  };
}

/** The options of the guards that this package has created, with the store that they count in. */
const guards = new WeakMap<object, RunGuardOptions>();

/** Remembers the options of a guard for the routes that start its runs. */
export function rememberGuard(guard: object, options: RunGuardOptions, { limitStore }: GuardSettings): void {
  guards.set(guard, { ...options, limitStore });
}

/**
 * Returns the options of the guard of a route's durable runs.
 * @throws CuelineError `invalid_options` for another guard
 */
export function guardOf({ durable }: Pick<PromptRouteOptions, 'durable'>): RunGuardOptions | undefined {
  const guard = durable?.guard;
  if (guard === undefined) return undefined;
  const known = guards.get(guard);
  if (known !== undefined) return known;
  throw new CuelineError(
    'invalid_options',
    'createPromptRoute: the guard of durable was not created by createRunGuard of this @cueline/edge, so its limits are unknown. Create it with the createRunGuard that is imported beside createPromptRoute.',
  );
}

/** Returns a route's options with those of the guard of its durable runs. */
export function withGuard(given: PromptRouteOptions): PromptRouteOptions {
  const guard = guardOf(given);
  if (guard === undefined) return given;
  const { limits, onEvent, ...rest } = guard;
  return { ...given, ...rest, limits: { ...given.limits, ...limits }, onEvent: given.onEvent ?? onEvent };
}
