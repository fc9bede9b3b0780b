import { CuelineError } from '../base/errors.ts';
import type { RunEvent, RunEventBody } from '../log/events.ts';
import { createRunLog, type RunLog } from '../log/run-log.ts';
import type { Scheduler } from '../log/schedule.ts';
import type { EditReply } from '../tasks/task.ts';
import type { Executor, RunCommand, RunRequest } from '../executors/executor.ts';
import { failedStart } from '../executors/failed-start.ts';
import { rebaseEvents, eventsBeforeResume } from '../log/rebase-events.ts';

/** One start of a run: its log, and the work that fills it. */
export type Attempt = {
  readonly log: RunLog;
  /** What it was started with; starting with the same again is no new start. */
  readonly key: string | undefined;
  /** What the run comes to, once it has ended. Rejects with its error, or with `aborted`. */
  readonly result: Promise<unknown>;
  readonly replays: boolean;
  /** True while the work goes on and is not followed. */
  readonly detached: boolean;
  /**
   * The work, where the connection to it was lost and the log has ended for that: a run, which may still go on where it
   * happens, or the `request` of a start of which nothing was heard.
   */
  readonly lost: LostConnection | undefined;
  /** Ends it as `stopped`, at the latest after a moment. */
  stop(): void;
  /** Ends it as `stopped` at once: something else takes its place. */
  replace(): void;
  /** Lets go of the work, which goes on. */
  detach(): void;
  /** Follows the work that was let go of, or that a page before this one has begun; false where it is not known. */
  attach(): boolean;
  /** Ends work that was lost sight of, and may still go on where it happens. */
  drop(): void;
  /** Ends it with an error, where the work is lost. */
  fail(error: CuelineError): void;
  send(command: RunCommand): EditReply | Promise<EditReply>;
};

/** What makes another attempt of the same work. */
export type LostConnection = Pick<AttemptOptions, 'request'> & { events: readonly RunEvent[] };

export type AttemptOptions = {
  executor: Executor;
  /** Missing for a log of the past, which is not started but attached to. */
  request?: RunRequest<never> | undefined;
  /** What the log begins with. */
  events?: readonly RunEvent[];
  name: string;
  key?: string | undefined;
  schedule?: Scheduler | undefined;
  /** Told of every event, before the work begins. */
  onEvent: (event: RunEvent) => void;
};

/** How long an executor may take to say itself that it has stopped, in milliseconds. */
const STOP_GRACE_MS = 1_000;

/** Starts a run with an executor, or takes up the log of one. */
export function createAttempt(options: AttemptOptions): Attempt {
  const { executor, request, events = [], name, key, schedule, onEvent } = options;
  const log = createRunLog({ events, ...(schedule === undefined ? {} : { schedule }) });
  const placing = rebaseEvents(
    executor.isPlaced ? [] : request === undefined ? eventsBeforeResume(events) : events,
    key,
  );
  const controller = new AbortController();
  /** The iteration that is followed. */
  let followed: AsyncIterator<RunEvent> | undefined;
  /** To be let go of once it has said which run it is: nobody could find it again before. */
  let leaving = false;
  /** Set where the executor broke off, and has not said that the run has ended. */
  let lost: LostConnection | undefined;

  log.listen(onEvent);
  const result = untilEnd(log);
  // whoever ignores it sees the failure in the state
  result.catch(() => {});
  if (request !== undefined) void follow(() => executor.start(request, controller.signal));

  /** Writes an executor's events down, and ends the log where the executor did not. */
  async function follow(start: () => AsyncIterable<RunEvent>): Promise<void> {
    let mine: AsyncIterator<RunEvent> | undefined;
    try {
      mine = followed = start()[Symbol.asyncIterator]();
      for (;;) {
        const next = await mine.next();
        // an end that is in hand already is not said again
        if (followed !== mine && (next.done === true || next.value.type !== 'run-end')) return;
        if (next.done === true) break;
        log.push(placing.rebase(next.value));
        if (log.ended) return void mine.return?.();
        if (leaving) leave();
      }
      brokenOff(new CuelineError('stream_truncated', 'The run broke off without an end. Start it again.'));
    } catch (error) {
      if (followed === mine) brokenOff(error);
    }
  }

  /** An executor that is told to stop may say so by an error, or by saying nothing more. */
  function brokenOff(error: unknown): void {
    if (controller.signal.aborted) return end({ outcome: 'stopped' });
    if (executor.attach !== undefined && !isGone(error))
      lost = hasBegun() ? { events: [...log.events] } : { request, events };
    if (CuelineError.isInstance(error)) return fail(error);
    const message = error instanceof Error ? error.message : String(error);
    fail(new CuelineError('script_error', message, { cause: error }));
  }

  function fail(error: CuelineError): void {
    end({ outcome: 'error', error: error.toJSON() });
  }

  function leave(): void {
    const iterator = followed;
    leaving = false;
    followed = undefined;
    void iterator?.return?.();
  }

  /** Ends the log for its executor. One that has said nothing yet gets the start that it would have had. */
  function end(body: Omit<Extract<RunEventBody, { type: 'run-end' }>, 'type'>): void {
    if (log.events.length === 0) {
      const [start] = failedStart(name, undefined, request?.messages);
      log.push({ ...start!, ...(key === undefined ? {} : { key }) });
    }
    log.append({ type: 'run-end', ...body });
  }

  /** True once the executor has said anything. */
  function hasBegun(): boolean {
    return request === undefined || log.events.length > events.length;
  }

  function runId(): string {
    const last = log.events.findLast(({ type }) => type === 'run-start' || type === 'run-resume');
    return last !== undefined && 'runId' in last ? last.runId : '';
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
    stop() {
      if (log.ended) return;
      controller.abort();
      // nobody will say so where nothing has begun yet, or nobody listens
      if (!hasBegun() || followed === undefined) end({ outcome: 'stopped' });
      else setTimeout(() => end({ outcome: 'stopped' }), STOP_GRACE_MS);
    },
    replace() {
      if (log.ended) return;
      controller.abort();
      end({ outcome: 'stopped' });
    },
    detach() {
      if (hasBegun()) leave();
      else leaving = followed !== undefined;
    },
    attach() {
      leaving = false;
      if (log.ended || followed !== undefined) return !log.ended;
      const after = log.events.length - placing.before - 1;
      const more = executor.attach?.(runId(), after, controller.signal);
      if (more === undefined) return false;
      void follow(() => more);
      return true;
    },
    drop() {
      if (!lost || lost.request) return;
      lost = undefined;
      const after = log.events.length - placing.before - 1;
      // following it with a signal that has aborted is what ends it
      const more = executor.attach?.(runId(), after, AbortSignal.abort());
      more?.[Symbol.asyncIterator]()
        .next()
        .catch(() => {});
    },
    fail,
    send(command) {
      if (log.events.length === 0 || log.ended) {
        return { accepted: false, reason: 'The run is not under way.' };
      }
      return (
        executor.send?.(runId(), command) ?? {
          accepted: false,
          reason: 'It cannot be told anything.',
        }
      );
    },
  };
}

/** True where there is nothing to be found again: the run is not known there any more. */
export function isGone(error: unknown): boolean {
  return CuelineError.isInstance(error) && error.code === 'interrupted';
}

/** What the run comes to once its log has ended, even where the executor never lets go. */
async function untilEnd(log: RunLog): Promise<unknown> {
  if (!log.ended) {
    await new Promise<void>((resolve) => {
      const unlisten = log.listen(({ type }) => {
        if (type !== 'run-end') return;
        unlisten();
        resolve();
      });
    });
  }
  const state = log.getState();
  if (state.status === 'error') throw CuelineError.fromJSON(state.error);
  if (state.status === 'stopped') throw new CuelineError('aborted', 'The run was stopped.');
  return state.status === 'done' ? state.result : state.text;
}
