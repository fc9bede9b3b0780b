import { guardLimits, guardOf, type RunGuardOptions } from './guard/guard-settings.ts';
import { invalidOptionsError } from './invalid-options-error.ts';
import type { PromptRouteLimits, PromptRouteOptions } from './prompt-route-options.ts';

/** Options that belong to the workers, or that need runs in the route's own process. */
const options: readonly (keyof PromptRouteOptions)[] = ['fileUrls', 'models', 'store', 'waitUntil'];
const limits: readonly (keyof PromptRouteLimits)[] = ['quietMs', 'replayMs'];
/** Options that the guard of the workers enforces. */
const guarded = ['killSwitch', 'limitStore', 'prices'] as const;

/**
 * Refuses options that a route with `durable` could not enforce, so that every limit that is set has an effect.
 * @throws CuelineError `invalid_options`
 */
export function checkDurable(given: PromptRouteOptions, prompts: Iterable<string>): void {
  const { durable, model, auth } = given;
  if (durable === undefined) return;
  const names: string[] = options.filter((name) => given[name] !== undefined);
  names.push(
    ...limits.filter((name) => given.limits?.[name] !== undefined).map((name) => `limits.${name}`),
    ...Object.keys(given.options ?? {})
      .filter((name) => name !== 'limits')
      .map((name) => `options.${name}`),
  );
  if (model !== undefined && typeof model !== 'string') names.push('model, as an object');
  if (names.length > 0) {
    throw invalidOptionsError(
      `durable cannot be combined with ${names.join(', ')}. Leave it out; models and options of durable runs are set in createDurable({ models, options }).`,
    );
  }
  const guard = guardOf(given);
  checkGuarded(given, guard);
  if (auth === 'none' && guard === undefined) {
    throw invalidOptionsError(
      "auth is 'none', and the workers of durable have no guard, so callers could spend without limit. Pass one: createDurable({ guard: createRunGuard({ limits: { dailyTokens: 200_000 } }), … }).",
    );
  }
  const missing = [...prompts].filter((name) => !durable.prompts.includes(name));
  if (missing.length === 0) return;
  throw invalidOptionsError(
    `durable does not run ${missing.map((name) => `"${name}"`).join(', ')}. Add each to createDurable({ prompts: […] }).`,
  );
}

/** Refuses limits that the workers do not enforce: without a guard, or with another value. */
function checkGuarded(given: PromptRouteOptions, guard: RunGuardOptions | undefined): void {
  const set = [
    ...guarded
      // without a guard, the store counts the starts per minute
      .filter((name) => given[name] !== undefined && (guard !== undefined || name !== 'limitStore'))
      .filter((name) => given[name] !== guard?.[name]),
    ...guardLimits
      .filter((name) => given.limits?.[name] !== undefined && given.limits[name] !== guard?.limits?.[name])
      .map((name) => `limits.${name}`),
  ];
  if (set.length === 0) return;
  throw invalidOptionsError(
    guard === undefined
      ? `Workers call the models of durable runs, and they have no guard that holds ${set.join(', ')}. Set it there: createDurable({ guard: createRunGuard({ limits: { … } }), … }).`
      : `The guard of durable has another value of ${set.join(', ')}. Set it in createRunGuard({ … }) only, and leave it out here.`,
  );
}
