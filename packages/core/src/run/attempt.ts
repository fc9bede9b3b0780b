import { CuelineError, thrownMessage } from '../base/errors.ts';
import { checkEvents } from '../executors/check-events.ts';
import type { Executor, RunRequest } from '../executors/executor.ts';
import { failedStart } from '../executors/failed-start.ts';
import type { RunEvent, RunEventBody } from '../log/events.ts';
import { lastRunId } from '../log/log-queries.ts';
import { rebaseEvents, eventsBeforeResume } from '../log/rebase-events.ts';
import type { RunCommand } from '../log/run-handle.ts';
import { createRunLog, type RunLog } from '../log/run-log.ts';
import type { Scheduler } from '../log/schedule.ts';
import type { EditReply } from '../tasks/task-item.ts';
import { isGone, type LostConnection } from './lost-connection.ts';
import { ignorable, stopped } from './refused.ts';

/** One start of a run: its log, and the work that fills it. */
export type Attempt = {
  readonly log: RunLog;
  /** The key of the start. Starting again with the same key is not a new start. */
  readonly key: string | undefined;
  /** The run's result, once it has ended. Rejects with its error, or with `aborted`. */
  readonly result: Promise<unknown>;
  readonly replays: boolean;
  /** True while the work continues and is not followed. */
  readonly detached: boolean;
  /**
   * The work, if its connection was lost and the log has ended because of that: a run, which may still continue
   * where it happens, or the `request` of a start without any answer.
   */
  readonly lost: LostConnection | undefined;
  /** Ends it as `stopped`: after a moment at the latest, or `atOnce`, because another attempt replaces it. */
  stop(atOnce?: boolean): void;
  /** Stops following the work, which continues. */
  detach(): void;
  /** Follows the work again, or the work that an earlier page has started. False if it is not known. */
  attach(): boolean;
  /** Ends an attempt whose connection was lost, and whose work may still continue where it happens. */
  drop(): void;
  /** Ends it with an error, because the work is lost. */
  fail(error: CuelineError): void;
  /** Returns undefined if the run is not in progress. */
  send(command: RunCommand): EditReply | Promise<EditReply> | undefined;
};

type AttemptOptions = {
  executor: Executor;
  /** Missing for a stored log, which is attached to and not started. */
  request?: RunRequest<never> | undefined;
  /** The beginning of the log. */
  events?: readonly RunEvent[];
  key?: string | undefined;
  schedule?: Scheduler | undefined;
  /** Called with every event, before the work starts. */
  onEvent: (event: RunEvent) => void;
};

/** How long an executor may take to report its own end after a stop, in milliseconds. */
const STOP_GRACE_MS = 1_000;

/** Starts a run with an executor, or continues a stored log. */
export function createAttempt(options: AttemptOptions): Attempt {
  const { executor, request, events = [], key, schedule, onEvent } = options;
  const log = createRunLog({ events, schedule });
  /** The events in the log before the executor's first. */
  const kept = executor.isPlaced ? [] : request ? events : eventsBeforeResume(events);
  const rebase = rebaseEvents(kept, key);
  const controller = new AbortController();
  /** The iteration that is followed. */
  let followed: AsyncIterator<RunEvent> | undefined;
  /** True if the attempt detaches as soon as the run has an id, because it cannot be found without one. */
  let leaving = false;
  /** Set if the executor ended without the end of the run. */
  let lost: LostConnection | undefined;

  log.listen(onEvent);
  const result = ignorable(untilEnd(log));
  if (request) void follow(() => executor.start(request, controller.signal));

  /** Appends an executor's events to the log, and ends the log if the executor does not. */
  async function follow(start: () => AsyncIterable<RunEvent>): Promise<void> {
    let mine: AsyncIterator<RunEvent> | undefined;
    try {
      mine = followed = checkEvents(start())[Symbol.asyncIterator]();
      for (;;) {
        const next = await mine.next();
        // an end that was appended already is not repeated
        if (followed !== mine && (next.done === true || next.value.type !== 'run-end')) return;
        if (next.done === true) break;
        log.push(rebase(next.value));
        if (log.ended || (leaving && runId())) return leave();
      }
      brokenOff(new CuelineError('stream_truncated', 'The run ended unexpectedly. Start it again.'));
    } catch (error) {
      if (followed === mine) brokenOff(error);
    }
  }

  /** An executor that is stopped may answer with an error, or with nothing. */
  function brokenOff(error: unknown): void {
    if (controller.signal.aborted) return end({ outcome: 'stopped' });
    if (executor.attach && !isGone(error))
      lost = { key, request: hasBegun() ? undefined : request, events: [...log.events] };
    if (CuelineError.isInstance(error)) return fail(error);
    fail(new CuelineError('script_error', thrownMessage(error), { cause: error }));
  }

  function fail(error: CuelineError): void {
    end({ outcome: 'error', error: error.toJSON() });
  }

  function leave(): void {
    const iterator = followed;
    leaving = false;
    followed = undefined;
    void ignorable((async () => iterator?.return?.())());
  }

  /**
   * Ends the log for its executor. If the executor has emitted nothing yet, the log gets the start that it would have
   * had.
   */
  function end(body: Omit<Extract<RunEventBody, { type: 'run-end' }>, 'type'>): void {
    if (request && log.events.length === 0) {
      let input: unknown;
      try {
        input = JSON.parse(JSON.stringify(request.input));
      } catch {
        // JSON cannot hold it
      }
      const [start] = failedStart(request.definition?.name, undefined, request.messages, input);
      log.push(rebase(start!));
    }
    log.append({ type: 'run-end', ...body });
  }

  /** True once the executor has emitted an event. */
  function hasBegun(): boolean {
    return !request || log.events.length > events.length;
  }

  function runId(): string {
    return lastRunId(log.events.slice(kept.length)) ?? '';
  }

  /** Returns the events after those in the log; undefined if the executor does not know the work. */
  function eventsToCome(signal: AbortSignal): AsyncIterable<RunEvent> | undefined {
    return executor.attach?.(runId(), log.events.length - kept.length - 1, signal);
  }

  return {
    log,
    key,
    result,
    replays: executor.replays === true,
    get detached() {
      return leaving || (hasBegun() && followed === undefined && !log.ended);
    },
    get lost() {
      return lost;
    },
    // no other end comes if nothing has started yet or nothing is followed
    stop(atOnce = !hasBegun() || followed === undefined) {
      if (log.ended) return;
      controller.abort();
      if (atOnce) end({ outcome: 'stopped' });
      else setTimeout(() => end({ outcome: 'stopped' }), STOP_GRACE_MS);
    },
    detach() {
      if (hasBegun()) leave();
      else leaving = followed !== undefined;
    },
    attach() {
      leaving = false;
      if (log.ended || followed !== undefined) return !log.ended;
      const more = eventsToCome(controller.signal);
      if (more === undefined) return false;
      void follow(() => more);
      return true;
    },
    drop() {
      if (!lost || lost.request) return;
      lost = undefined;
      // following it with an aborted signal ends it
      eventsToCome(AbortSignal.abort())
        ?.[Symbol.asyncIterator]()
        .next()
        .catch(() => {});
    },
    fail,
    send(command) {
      if (log.events.length === 0 || log.ended) return;
      return (
        executor.send?.(runId(), command) ?? {
          accepted: false,
          reason: 'This executor accepts no commands.',
        }
      );
    },
  };
}

/** Returns the run's result once its log has ended, even if the executor never returns. */
async function untilEnd(log: RunLog): Promise<unknown> {
  if (!log.ended) {
    await new Promise<void>((resolve) => {
      log.listen(({ type }) => {
        if (type === 'run-end') resolve();
      });
    });
  }
  const state = log.getState();
  if (state.status === 'error') throw CuelineError.fromJSON(state.error);
  if (state.status === 'stopped') return stopped();
  return state.status === 'done' ? state.result : state.text;
}
