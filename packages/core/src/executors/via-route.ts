import { loadPart } from '../base/load-part.ts';
import type { Connectivity } from '../provider/connectivity.ts';
import type { RouteExecutor } from './executor.ts';
import { failedStart } from './failed-start.ts';
import type * as RouteRun from './route-run.ts';
import { openLazily } from './open-lazily.ts';

export type RouteOptions = {
  /** Headers of every request, or what makes them each time, such as for a token that grows old. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Sends the requests, or answers them itself, as a route's own function in a test does. Default: `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * How often in a row a lost connection is made again without anything new coming; default 8, over half a minute. A start
   * that has no answer is sent again twice at most, with a key by which the route starts it once.
   */
  retries?: number | undefined;
  /** How long to wait before the try with this number, from 1 on, in ms; default 500, doubled each time up to 10,000, with jitter. */
  retryDelay?: ((attempt: number) => number) | undefined;
  /**
   * After how many ms without as much as a heartbeat (every 15,000) a connection counts as lost; default 45,000. As long
   * are `headers` and an answer waited for.
   */
  idleMs?: number | undefined;
  /** While it says that there is no network, no tries are used up. Default: what the browser says. */
  connectivity?: Connectivity | undefined;
};

/**
 * Runs prompts on a server: `POST url` starts one, and its events come back as Server-Sent Events. A lost connection
 * is made again and goes on after the last event. The route knows the prompt by the definition's name, and has its own
 * tools and keys; what JSON cannot carry ends the run with `invalid_options` before anything is sent.
 *
 * @example
 * const run = createRun(remotePrompt<typeof planDay>('plan-day'), { executor: viaRoute('/api/plan-day') });
 */
export function viaRoute(url: string | URL, options: RouteOptions = {}): RouteExecutor {
  return {
    remote: true,
    start: (request, signal) =>
      openLazily(async () =>
        (await loadRoutes()).startOnRoute(url, options, request, signal, () =>
          failedStart(request.definition.name, undefined, request.messages),
        ),
      ),
    attach: (runId, afterSeq, signal) =>
      openLazily(async () => (await loadRoutes()).attachToRoute(url, options, runId, afterSeq, signal)),
    send: async (runId, command) => (await loadRoutes()).sendCommandToRoute(url, options, runId, command),
  };
}

/** Loads what talks to routes. A page that has not started a run yet does not pay for it. */
function loadRoutes(): Promise<typeof RouteRun> {
  return loadPart('routes', import('./route-run.ts'));
}
