import { loadPart } from '../base/load-part.ts';
import type { Connectivity } from '../provider/connectivity.ts';
import type { RouteExecutor } from './executor.ts';
import { failedStart } from './failed-start.ts';
import type * as RouteRun from './route-run.ts';
import { openLazily } from './open-lazily.ts';

export type RouteOptions = {
  /** Headers of every request, or a function that creates them each time, for example for a token that expires. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Sends the requests. A test can pass a route's own function instead. Default: `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * How often in a row to reconnect without a new event. Default 8, which takes more than half a minute. A start
   * without an answer is sent again twice at most, with a key, so that the route starts it once.
   */
  retries?: number | undefined;
  /**
   * How long to wait before the try with this number, from 1, in milliseconds. Default 500, doubled each time up to
   * 10,000, with jitter.
   */
  retryDelay?: ((attempt: number) => number) | undefined;
  /**
   * How long a connection may be silent, without even a heartbeat (every 15,000), before it counts as lost, in
   * milliseconds. Default 45,000. The same limit holds for `headers` and for an answer.
   */
  idleMs?: number | undefined;
  /** While it reports no network, tries are not counted. Default: the browser's own state. */
  connectivity?: Connectivity | undefined;
};

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

/** Loads the code for routes. A page that has not started a run yet does not load it. */
function loadRoutes(): Promise<typeof RouteRun> {
  return loadPart('routes', import('./route-run.ts'));
}
