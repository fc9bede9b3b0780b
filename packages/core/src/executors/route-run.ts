import { anySignal } from '../base/any-signal.ts';
import { createId } from '../base/create-id.ts';
import { CuelineError } from '../base/errors.ts';
import { startTimer } from '../base/timer.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { RunEvent } from '../log/events.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { EditReply } from '../tasks/task-item.ts';
import { createServerEventCounter } from '../wire/event-limits.ts';
import { readEventStream } from '../wire/read-event-stream.ts';
import type { RunRequest } from './executor.ts';
import { failedStart } from './failed-start.ts';
import { commandBody, startBody } from './route-body.ts';
import { connectToRoute, routeTimeoutError } from './route-connection.ts';
import { isOffline, pauseBeforeAttempt, untilOnline } from './route-pause.ts';
import {
  askRoute,
  readJsonResponse,
  routeAt,
  routeError,
  type Route,
  type RouteOptions,
  type RouteRequest,
} from './route-request.ts';

/** How often a stop is tried. A stop that fails is not reported. */
const STOP_ATTEMPTS = 3;

/** The run that a signal has stopped. A caller who returned and attached again listens to the same signal twice. */
const stoppedBy = new WeakMap<AbortSignal, string>();

/**
 * How often a start without an answer is sent again. Only a few times, so that an unreachable URL is reported
 * soon.
 */
const START_RETRIES = 2;

/** A run that is followed: one to start, or one that was started before. */
type Subscription = {
  /** The request that starts it, as JSON. */
  body?: string;
  runId?: string;
  /** Events up to this one are known. */
  afterSeq?: number;
  /** The log if the run is stopped before its first event. */
  unstarted(): Iterable<RunEvent>;
};

/** Starts a run on the route. Ends after `run-end`. */
export function startOnRoute<Input>(
  url: string | URL,
  options: RouteOptions,
  request: RunRequest<Input>,
  signal: AbortSignal,
): AsyncIterator<RunEvent> {
  const route = routeAt(url, options);
  const { abortSignal } = request.options ?? {};
  const subscription: Subscription = {
    body: startBody({ ...request, key: request.key ?? createId('start') }),
    unstarted: () => failedStart(request.definition.name, undefined, request.messages),
  };
  return new Follower(route, subscription, anySignal(signal, abortSignal));
}

/** Follows a run that was started before, from the event after `afterSeq` on. Ends after `run-end`. */
export function attachToRoute(
  url: string | URL,
  options: RouteOptions,
  runId: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncIterator<RunEvent> {
  const unstarted = (): RunEvent[] => [{ seq: afterSeq + 1, t: 0, type: 'run-end', outcome: 'stopped' }];
  return new Follower(routeAt(url, options), { runId, afterSeq, unstarted }, signal);
}

/**
 * Sends a command to a run, once there is a network, or after half a minute without one. Does not send it again if
 * the connection fails, because it may have arrived, and a task must not be added twice.
 */
export async function sendCommandToRoute(
  url: string | URL,
  options: RouteOptions,
  runId: string,
  command: RunCommand,
): Promise<EditReply> {
  const route = routeAt(url, options);
  const request: RouteRequest = { method: 'POST', runId, body: commandBody(command) };
  if (isOffline(route)) await untilOnline(route, new AbortController().signal);
  return askInTime(route, request, async (response) => {
    if (response.status === 404 || response.status === 410) {
      response.body?.cancel().catch(() => {});
      return { accepted: false, reason: 'The run is not in progress.' };
    }
    if (!response.ok) throw await routeError(response, request);
    return (await readJsonResponse(response, 'an answer to the command (JSON)', 'accepted')) as EditReply;
  });
}

/**
 * Returns what `read` makes of the route's answer. Rejects if both together take longer than the route may be silent.
 */
async function askInTime<Value>(
  route: Route,
  request: RouteRequest,
  read: (response: Response) => Value | Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const timer = startTimer(() => controller.abort(routeTimeoutError(route)), route.idleMs);
  try {
    return await read(await askRoute(route, { ...request, signal: controller.signal }));
  } finally {
    clearTimeout(timer);
  }
}

/** The events of a run on a route, over as many connections as it takes. */
class Follower implements AsyncIterator<RunEvent> {
  readonly #route: Route;
  readonly #subscription: Subscription;
  readonly #signal: AbortSignal;
  #runId: string | undefined;
  /** The id that the route names before the first event, with which the run can be stopped. */
  #namedId: string | undefined;
  #last;
  readonly #count = createServerEventCounter();
  #stoppedStart: RunEvent | undefined;
  #pending: Promise<IteratorResult<RunEvent>> | undefined;
  /** The remaining events of a run that was stopped. */
  #stopped: Iterator<RunEvent> | undefined;
  #over = false;
  /** Ends the connection and every wait for one. */
  readonly #closing = new AbortController();
  readonly #events;

  constructor(route: Route, subscription: Subscription, signal: AbortSignal) {
    this.#route = route;
    this.#subscription = subscription;
    this.#signal = signal;
    this.#runId = subscription.runId;
    this.#last = subscription.afterSeq;
    this.#events = this.#connections();
    if (signal.aborted) this.#onStop();
    else signal.addEventListener('abort', this.#onStop, { once: true });
  }

  async next(): Promise<IteratorResult<RunEvent>> {
    if (this.#over) return { done: true, value: undefined };
    if (this.#signal.aborted) return this.#emitStopped();
    this.#pending = this.#events.next();
    try {
      const next = await untilAborted(this.#pending, this.#signal);
      if (this.#over) return { done: true, value: undefined };
      if (next.done === true) return this.#finish();
      this.#stoppedStart = next.value;
      if (this.#stoppedStart.type === 'run-end') this.#finish();
      return next;
    } catch (error) {
      if (this.#over) return { done: true, value: undefined };
      if (this.#signal.aborted) return this.#emitStopped();
      this.#finish();
      throw error;
    }
  }

  // by hand, because a generator queues this behind a pending `next`
  return(): Promise<IteratorResult<RunEvent>> {
    // the run continues on the server, and the signal can still stop it
    this.#over = true;
    if (!this.#signal.aborted) this.#close();
    return Promise.resolve({ done: true, value: undefined });
  }

  readonly #onStop = (): void => {
    const stop = async (): Promise<void> => {
      const runId = this.#runId ?? this.#namedId;
      this.#close();
      if (runId !== undefined) await stopOnRoute(this.#route, runId, this.#signal);
    };
    if (this.#runId !== undefined || this.#namedId !== undefined) void stop();
    // the run may have started, but its id arrives only with the answer
    else void (this.#pending?.catch(() => {}) ?? Promise.resolve()).then(stop);
  };

  #close(): void {
    this.#closing.abort();
    this.#events.return(undefined).catch(() => {});
  }

  async *#connections(): AsyncGenerator<RunEvent, undefined> {
    const halted = anySignal(this.#signal, this.#closing.signal);
    for (let failures = 0; !halted.aborted;) {
      const connection = await connectToRoute(this.#route, this.#nextRequest(), this.#closing.signal);
      if ('over' in connection) {
        if (this.#stoppedStart === undefined) return;
        throw new CuelineError(
          'stream_truncated',
          'The route says that the run is over, but not how it ended. Start it again.',
        );
      }
      let { lost, restMs = 0 } = 'lost' in connection ? connection : {};
      if ('body' in connection) {
        // a server may also send the same events again and again
        const countAll = createServerEventCounter();
        const count = (event: RunEvent): string | undefined =>
          countAll(event) ?? (event.seq > (this.#last ?? -1) ? this.#count(event) : undefined);
        const stream = readEventStream(connection.body, { idleMs: this.#route.idleMs, count });
        const release = (): void => void stream.return?.();
        this.#closing.signal.addEventListener('abort', release);
        try {
          this.#namedId ??= connection.runId;
          // the stop waits for the id
          if (this.#signal.aborted && this.#namedId !== undefined) return;
          for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
            if (!this.#isNew(next.value)) continue;
            failures = 0;
            yield next.value;
            if (next.value.type === 'run-end') return;
          }
          lost = new CuelineError('stream_truncated', 'The connection ended before the run did.');
        } catch (error) {
          if (!CuelineError.isInstance(error) || !isConnectionLost(error)) throw error;
          lost = error;
        } finally {
          this.#closing.signal.removeEventListener('abort', release);
          release();
          connection.end();
        }
      }
      if (halted.aborted) return;
      const reason = lost ?? new CuelineError('network', 'There is no connection.');
      if (isOffline(this.#route)) {
        await untilOnline(this.#route, halted);
        continue;
      }
      failures += 1;
      if (
        !('body' in connection) &&
        this.#runId === undefined &&
        failures > Math.min(this.#route.retries, START_RETRIES)
      ) {
        throw startFailedError(reason, failures);
      }
      if (failures > this.#route.retries) throw connectionLostError(reason, this.#route.retries);
      await pauseBeforeAttempt(this.#route, failures, restMs, halted);
    }
  }

  #nextRequest(): RouteRequest {
    if (this.#runId === undefined) return { method: 'POST', body: this.#subscription.body };
    return {
      method: 'GET',
      runId: this.#runId,
      ...(this.#last === undefined || this.#last < 0
        ? {}
        : { headers: { 'last-event-id': String(this.#last) } }),
    };
  }

  /** True for an event that has not been emitted. A route may begin earlier than requested. */
  #isNew(event: RunEvent): boolean {
    const id = (event as { runId?: unknown }).runId;
    if (typeof id === 'string' && id !== '') {
      if (this.#runId !== undefined && id !== this.#runId) {
        throw new CuelineError(
          'stream_malformed',
          `The route was asked for run ${this.#runId} but returned run ${id}. Check that no cache or proxy answers in its place.`,
        );
      }
      this.#runId = id;
    }
    if (this.#last !== undefined && event.seq <= this.#last) return false;
    if (this.#last !== undefined && event.seq > this.#last + 1) {
      throw new CuelineError(
        'stream_malformed',
        `The route skipped events: event ${event.seq} came after event ${this.#last}. Start the run again.`,
      );
    }
    this.#last = event.seq;
    return true;
  }

  #finish(): IteratorResult<RunEvent> {
    this.#over = true;
    this.#signal.removeEventListener('abort', this.#onStop);
    // a stopped run is closed once its id is known
    if (!this.#signal.aborted) this.#close();
    return { done: true, value: undefined };
  }

  #emitStopped(): IteratorResult<RunEvent> {
    this.#stopped ??= (
      this.#stoppedStart === undefined
        ? this.#subscription.unstarted()
        : [
            {
              seq: this.#stoppedStart.seq + 1,
              t: this.#stoppedStart.t,
              type: 'run-end',
              outcome: 'stopped',
            } as const,
          ]
    )[Symbol.iterator]();
    const next = this.#stopped.next();
    return next.done === true ? this.#finish() : next;
  }
}

/** Asks the route to end a run. Ignores a run that has ended already. */
async function stopOnRoute(route: Route, runId: string, signal: AbortSignal): Promise<void> {
  if (stoppedBy.get(signal) === runId) return;
  stoppedBy.set(signal, runId);
  const never = new AbortController().signal;
  for (let attempts = 1; attempts <= STOP_ATTEMPTS; attempts++) {
    try {
      const status = await askInTime(route, { method: 'DELETE', runId, keepalive: true }, (response) => {
        response.body?.cancel().catch(() => {});
        return response.status;
      });
      if (status < 500) return;
    } catch {
      // the network may be back for the next attempt
    }
    if (attempts < STOP_ATTEMPTS) await pauseBeforeAttempt(route, attempts, 0, never);
  }
}

/** True if the connection broke, and not its content. */
function isConnectionLost({ code }: CuelineError): boolean {
  return code === 'stream_truncated' || code === 'timeout';
}

function startFailedError(reason: CuelineError, attempts: number): CuelineError {
  if (attempts === 1) return reason;
  const { code, message, details } = reason;
  return new CuelineError(code, `${message} (${attempts} attempts)`, {
    cause: reason,
    details: { ...details, attempts },
  });
}

function connectionLostError(reason: CuelineError, retries: number): CuelineError {
  const code = isConnectionLost(reason) ? 'network' : reason.code;
  const retried = retries === 1 ? 'one retry' : `${retries} retries`;
  return new CuelineError(
    code,
    `The connection to the route was lost, and ${retried} did not restore it. ${reason.message} The run may still be in progress on the server: call retry() or attach() to reconnect.`,
    { cause: reason, ...(reason.details === undefined ? {} : { details: reason.details }) },
  );
}
