import { CuelineError } from '../base/errors.ts';
import { startTimer } from '../base/timer.ts';
import { readRetryAfter } from '../provider/retry-after.ts';
import { RUN_HEADER } from '../wire/run-header.ts';
import {
  askRoute,
  routeError,
  unexpectedResponseError,
  type Route,
  type RouteRequest,
} from './route-request.ts';

/**
 * A connection with events, and the id of their run if the route names it before the first event. Without a connection,
 * the reason, and how long the route asks to wait.
 */
export type RouteConnection =
  | { body: ReadableStream<Uint8Array>; end: () => void; runId: string | undefined }
  /** The run has ended, and the last known event was its end. */
  | { over: true }
  | { lost: CuelineError; restMs: number };

/** If the route asks for a longer pause than this, the run ends instead of waiting. */
const MAX_RETRY_AFTER_MS = 30_000;
const transientStatuses = new Set([408, 429, 502, 503, 504]);

/**
 * Asks the route for events. Aborting `signal` ends the connection.
 * @throws CuelineError if asking again would not help
 */
export async function connectToRoute(
  route: Route,
  request: RouteRequest,
  signal: AbortSignal,
): Promise<RouteConnection> {
  const controller = new AbortController();
  const end = (): void => {
    signal.removeEventListener('abort', end);
    controller.abort();
  };
  signal.addEventListener('abort', end);
  const timer = startTimer(() => controller.abort(), route.idleMs);
  try {
    const response = await askRoute(route, {
      ...request,
      headers: { ...request.headers, accept: 'text/event-stream' },
      signal: controller.signal,
    });
    if (!response.ok) return await readRefusal(response, request);
    if (response.status === 204 && request.headers?.['last-event-id'] !== undefined) {
      end();
      return { over: true };
    }
    const kind = response.headers.get('content-type') ?? '';
    if (response.body === null || !/^text\/event-stream\b/i.test(kind)) {
      throw unexpectedResponseError(response, 'a stream of events (text/event-stream)');
    }
    const runId = response.headers.get(RUN_HEADER) ?? undefined;
    return { body: response.body as ReadableStream<Uint8Array>, end, runId };
  } catch (error) {
    end();
    if (CuelineError.isInstance(error) && error.code !== 'network') throw error;
    const lost = CuelineError.isInstance(error) ? error : routeTimeoutError(route, error);
    return { lost, restMs: 0 };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads what a refusal means: an error, or a reason to ask again later. */
async function readRefusal(response: Response, request: RouteRequest): Promise<RouteConnection> {
  const error = await routeError(response, request);
  const restMs = readRetryAfter(response.headers.get('retry-after')) ?? 0;
  // before the run has started, the caller decides whether to wait
  const waits = request.runId !== undefined || response.status !== 429;
  if (!transientStatuses.has(response.status) || !waits || restMs > MAX_RETRY_AFTER_MS) throw error;
  return { lost: error, restMs };
}

/** Returns the error for a route that does not answer in time. */
export function routeTimeoutError({ idleMs }: Route, cause?: unknown): CuelineError {
  return new CuelineError('timeout', `The route did not answer within ${idleMs / 1_000} s.`, { cause });
}
