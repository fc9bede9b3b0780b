import { loadModule } from '../base/load-module.ts';
import type { RouteExecutor } from './executor.ts';
import { openLazily } from './open-lazily.ts';
import type { RouteOptions } from './route-request.ts';
import type * as RouteRun from './route-run.ts';

/**
 * Runs prompts on a server: `POST url` starts one, and its events come back as Server-Sent Events. After a lost
 * connection it reconnects and continues after the last event. The route knows the prompt by the definition's name,
 * and has its own tools and keys. What JSON cannot carry ends the run with `invalid_options` before anything is sent.
 *
 * @example
 * const run = createRun(remotePrompt<typeof planDay>('plan-day'), { executor: viaRoute('/api/plan-day') });
 */
export function viaRoute(url: string | URL, options: RouteOptions = {}): RouteExecutor {
  return {
    remote: true,
    start: (request, signal) =>
      openLazily(async () => (await loadRoutes()).startOnRoute(url, options, request, signal)),
    attach: (runId, afterSeq, signal) =>
      openLazily(async () => (await loadRoutes()).attachToRoute(url, options, runId, afterSeq, signal)),
    send: async (runId, command) => (await loadRoutes()).sendCommandToRoute(url, options, runId, command),
  };
}

/** Loads the code for routes. A page that has not started a run yet does not load it. */
function loadRoutes(): Promise<typeof RouteRun> {
  return loadModule('routes', import('./route-run.ts'));
}
