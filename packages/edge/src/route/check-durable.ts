import { CuelineError } from '@cueline/core';
import type { PromptRouteLimits, PromptRouteOptions } from './prompt-route-options.ts';

/** Options that belong to the workers, or that need runs in the route's own process. */
const options: readonly (keyof PromptRouteOptions)[] = [
  'fileUrls',
  'killSwitch',
  'models',
  'prices',
  'store',
  'waitUntil',
];
const limits: readonly (keyof PromptRouteLimits)[] = [
  'concurrent',
  'contextTokens',
  'dailyCost',
  'dailyTokens',
  'maxOutputTokens',
  'quietMs',
  'replayMs',
  'runMs',
  'totalDailyCost',
  'totalDailyTokens',
];

/**
 * Refuses what a route with `durable` could not hold, so that no limit is only seemingly set.
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
    throw invalid(
      `durable does not go with ${names.join(', ')}. Leave it out; models and options of durable runs are set in createDurable({ models, options }).`,
    );
  }
  if (auth === 'none') {
    throw invalid(
      "durable needs an auth function: with auth: 'none' there is no limit to what callers spend.",
    );
  }
  const missing = [...prompts].filter((name) => !durable.prompts.includes(name));
  if (missing.length === 0) return;
  throw invalid(
    `durable does not run ${missing.map((name) => `"${name}"`).join(', ')}. Add each to createDurable({ prompts: […] }).`,
  );
}

function invalid(message: string): CuelineError {
  return new CuelineError('invalid_options', `createPromptRoute: ${message}`);
}
