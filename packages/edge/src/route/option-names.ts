import { checkNames, checkOptionNames, refusePromises } from '@cueline/core/server';
import type { PromptRouteOptions } from './prompt-route-options.ts';

/** Every option of a route. The compiler checks the list against the type. */
const names: Record<keyof PromptRouteOptions, true> = {
  accept: true,
  address: true,
  approvals: true,
  auth: true,
  development: true,
  durable: true,
  edits: true,
  fileUrls: true,
  killSwitch: true,
  limits: true,
  limitStore: true,
  model: true,
  models: true,
  onEvent: true,
  options: true,
  origins: true,
  prices: true,
  requestHeaders: true,
  showErrors: true,
  showRequests: true,
  store: true,
  waitUntil: true,
};

/** Refuses an unknown option of a route or of its runs. @throws CuelineError `invalid_options` */
export function checkRouteOptions(options: PromptRouteOptions): void {
  checkNames('createPromptRoute', options ?? null, Object.keys(names), 'invalid_options');
  refusePromises('createPromptRoute', options);
  refusePromises('createPromptRoute: models', options.models ?? {});
  checkOptionNames('createPromptRoute: options', options.options ?? {}, 'createPromptRoute(prompt, ');
}
