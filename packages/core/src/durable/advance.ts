import type { LanguageModel, UIMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { sendCommand } from '../engine/create-run-handle.ts';
import { startRun } from '../engine/start-run.ts';
import { describeFailure } from '../executors/describe-failure.ts';
import { failedStart } from '../executors/failed-start.ts';
import type { RunEvent } from '../log/events.ts';
import { createOpenCalls } from '../log/open-calls.ts';
import type { RunHandle } from '../log/run-handle.ts';
import { readPast, voidingEvent } from '../log/run-past.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { TaskItem } from '../tasks/task-item.ts';
import { isEdit, logResponse, type DurableCommand } from './commands.ts';
import { createEventQueue } from './event-queue.ts';
import { createPausableLog, type PausableLog } from './pausable-log.ts';
import { createStoredLog, isStorable, type StoredLog } from './stored-log.ts';

/** A run that is advanced step by step: its start, and its stored events. */
export type StoredRun<Input = unknown> = {
  readonly runId: string;
  readonly definition: PromptDefinition<Input>;
  readonly input: Input;
  /** Model to use instead of the definition's own. */
  readonly model?: string | LanguageModel | undefined;
  readonly options?: PromptOptions | undefined;
  /** Earlier turns of the conversation. */
  readonly messages?: readonly UIMessage[] | undefined;
  /** The tasks at the end of the turn before. */
  readonly tasks?: readonly TaskItem[] | undefined;
  /**
   * When it was started, in milliseconds since 1970. The times of its events then include waits between processes;
   * otherwise they continue from the last event.
   */
  readonly startedAt?: number | undefined;
  /**
   * Every stored event of the run, in order; empty if it has not begun. A {@link StoredLog} receives the events
   * of this step, and can be reused for the next one.
   */
  readonly events: readonly RunEvent[] | StoredLog;
};

/** What a worker provides to advance a run. */
export type AdvanceOptions = {
  /**
   * Stores events. A tool runs only once its start is stored. Must reject if the run belongs to another worker by now:
   * the work then stops, and nothing more is stored.
   */
  append(events: readonly RunEvent[]): Promise<void>;
  /**
   * Commands that users have sent to the run since the last step. A response that the run does not wait for has
   * no effect.
   */
  commands?: readonly DurableCommand[];
  /**
   * Called once the step is in progress, with a function that gives the run what users send meanwhile. It resolves
   * with false for a command that the step does not take now: the next one gets it in `commands`.
   */
  during?(give: (command: DurableCommand) => Promise<boolean>): void;
  /**
   * Called before a run with a task list ends because its model has stopped. Resolves once the function of `during`
   * has received every command that was sent before: until then, that function also takes edits of the run's own
   * tasks, because no step follows that would get them. If it rejects, nothing more is stored, and the step is to be
   * repeated.
   */
  beforeEnd?(): Promise<void>;
  /** Where models come from. */
  models?: ModelSettings;
  /** Leaves the run as it is. Another worker continues it. */
  signal?: AbortSignal;
  /** Ends the run when it aborts, with its reason as the error: a `CuelineError`. */
  end?: AbortSignal;
  /** Ends the run as stopped when it aborts. */
  stop?: AbortSignal;
};

/** The state of a run after it was advanced. */
export type Advanced =
  /** Another step follows. */
  | { status: 'next' }
  /** The run continues once one of these has a response. */
  | { status: 'waiting'; approvalIds: string[]; clientCallIds: string[] }
  /** The log has its end. */
  | { status: 'done' };

/**
 * Continues a run by one model call with its tools, from its stored events. The prompt function and its hooks
 * run again, so a run may be advanced by another process and another version of the code each time.
 *
 * Whatever an earlier process has left behind is settled first: half an answer is void, and the model is asked
 * again; a call with a result keeps it; a call that had not begun is made, unless it repeats one that may have taken
 * effect; of the others, those that only read, are `idempotent` or are answered by an agent, which continues where it
 * was. All others may have taken effect, and the model reads that they were interrupted.
 *
 * Rejects if events cannot be stored and if `signal` aborts; the stored log is whole in both cases.
 * @throws CuelineError `invalid_options` for a remotePrompt, `storage_failed` for events that are not a log
 */
export async function advance<Input>(run: StoredRun<Input>, options: AdvanceOptions): Promise<Advanced> {
  const { runId, definition, input, model, messages, tasks } = run;
  const { append, commands = [], models = {}, signal, end, stop } = options;
  signal?.throwIfAborted();
  checkAdvanceable(definition);
  const known = 'getState' in run.events ? run.events : createStoredLog(runId, run.events);
  const log = createPausableLog(known.events, run.startedAt, known.getState());
  if (log.ended) return { status: 'done' };

  const ending = new AbortController();
  const { reached, settle, fail } = createOutcome(log, () => ending.abort());
  const store = async (events: readonly RunEvent[]): Promise<void> => {
    await append(events);
    known.add(events);
  };
  const queue = createEventQueue(store, fail);
  log.listen((event) => {
    if (isStorable(event)) return queue.add(event);
    // no process could read the stored log, so none could continue the run or stop it
    for (const last of endInstead(event, run)) queue.add(last);
    settle({ status: 'done' });
  });
  let isLast = false;
  const beforeEnd = async (): Promise<void> => {
    isLast = true;
    await options.beforeEnd?.().catch(fail);
    isLast = false;
  };
  const onAbort = (): void => fail(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const onEnd = (): void => endEarly(log, run, endReasonError(end));
  const onStop = (): void => endEarly(log, run, undefined);
  try {
    const voids = voidingEvent(log.events);
    if (voids !== undefined) log.append(voids);
    const isWaiting = watch(log, settle, ending.signal);
    if (end?.aborted === true) onEnd();
    else end?.addEventListener('abort', onEnd, { once: true });
    if (stop?.aborted === true) onStop();
    else stop?.addEventListener('abort', onStop, { once: true });
    for (const command of commands) {
      if (command.type === 'stop') endEarly(log, run, undefined);
      else logResponse(log, command);
    }
    const edits = commands.filter(isEdit);
    // a waiting run takes edits, too, and still waits
    if (!log.ended && (edits.length > 0 || !isWaiting())) {
      const past = log.events.length === 0 ? undefined : readPast(log.events, log.getState());
      try {
        const started = await startRun(
          definition,
          {
            ...models,
            input,
            model,
            messages,
            tasks,
            options: { ...run.options, abortSignal: ending.signal },
          },
          {
            whenStored: () => queue.stored(),
            durable: { runId, log, past, beforeEnd, pause: () => settle({ status: 'next' }) },
          },
        );
        for (const edit of edits) await sendCommand(started.run, edit);
        if (edits.length === 0 || !isWaiting()) {
          void started.run.finished;
          options.during?.((command) => giveCommand(started.run, command, isLast));
        }
      } catch (error) {
        // once the outcome is known, the prompt function is aborted
        if (!log.ended) endEarly(log, run, describeFailure(error, input, models).error);
      }
    }
    const advanced = await reached;
    queue.release();
    await queue.stored();
    return advanced;
  } finally {
    log.pause();
    ending.abort();
    signal?.removeEventListener('abort', onAbort);
    end?.removeEventListener('abort', onEnd);
    stop?.removeEventListener('abort', onStop);
  }
}

/**
 * Checks that a definition has its function here.
 * @throws CuelineError `invalid_options` for a `remotePrompt`, whose function is on a server
 */
export function checkAdvanceable({ name, remote }: { name: string; remote?: true | undefined }): void {
  if (remote !== true) return;
  throw new CuelineError(
    'invalid_options',
    `Prompt "${name}" is a remotePrompt, which has only a name, so it cannot be advanced. Import the definition itself.`,
  );
}

type Outcome = {
  /** Resolves with the first outcome. */
  readonly reached: Promise<Advanced>;
  /** Nothing is logged after it. */
  settle(advanced: Advanced): void;
  fail(error: unknown): void;
};

/** `release` ends what is in progress, also a prompt function that never returns. */
function createOutcome(log: PausableLog, release: () => void): Outcome {
  let settle: Outcome['settle'] = () => {};
  let fail: Outcome['fail'] = () => {};
  const reached = new Promise<Advanced>((resolve, reject) => {
    settle = (advanced) => {
      log.pause();
      release();
      resolve(advanced);
    };
    fail = (error) => {
      log.pause();
      release();
      reject(error);
    };
  });
  // it may reject before anything awaits it
  reached.catch(() => {});
  return { reached, settle, fail };
}

/**
 * How long a call may take to start or to ask while the other calls wait for responses, in milliseconds. One that
 * repeats another call never does, and a slow `needsApproval` function only asks later.
 */
const SOON_MS = 10_000;

/**
 * Resolves once the run has ended or can only continue with a response. Returns whether it already waits. `over` aborts
 * when the outcome is known.
 */
function watch(log: PausableLog, settle: Outcome['settle'], over: AbortSignal): () => boolean {
  const calls = createOpenCalls();
  for (const event of log.events) calls.apply(event);
  let isDue = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  over.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const check = (isLate = false): boolean => {
    isDue = false;
    const idleState = calls.idleState(new Set());
    if (log.ended || idleState === 'busy') return false;
    if (idleState === 'soon' && !isLate) {
      clearTimeout(timer);
      timer = setTimeout(() => check(true), SOON_MS);
      return false;
    }
    const { approvals, clientToolCalls } = log.getState();
    const waits = new Set(calls.asking().map(({ waitsFor }) => waitsFor));
    settle({
      status: 'waiting',
      approvalIds: approvals.flatMap(({ approvalId }) => (waits.has(approvalId) ? [approvalId] : [])),
      clientCallIds: clientToolCalls.flatMap(({ clientCallId }) =>
        waits.has(clientCallId) ? [clientCallId] : [],
      ),
    });
    return true;
  };
  log.listen((event) => {
    calls.apply(event);
    if (event.type === 'run-end') return settle({ status: 'done' });
    if (isDue) return;
    isDue = true;
    clearTimeout(timer);
    // the calls of one step request their approvals one after the other
    setTimeout(check);
  });
  return check;
}

/** Gives a run in progress a response or an edit. Resolves with false if it does not take it now. */
async function giveCommand(run: RunHandle, command: DurableCommand, isLast: boolean): Promise<boolean> {
  if (command.type === 'stop') return false;
  // an agent's task list exists only while the agent is at work; that of the run is edited before the next step, if any
  if (command.type === 'edit' && command.agent === undefined && !isLast) return false;
  return (await sendCommand(run, command)).accepted;
}

function endReasonError(end: AbortSignal | undefined): CuelineError {
  const reason: unknown = end?.reason;
  return CuelineError.isInstance(reason)
    ? reason
    : new CuelineError(
        'interrupted',
        'The caller of advance() ended the run without a reason. Start the run again.',
      );
}

/** Ends the log of a run that could not start, or not continue. Without an error, it was stopped. */
function endEarly<Input>(log: PausableLog, run: StoredRun<Input>, error: CuelineError | undefined): void {
  if (log.ended) return;
  if (log.events.length > 0) {
    const how =
      error === undefined
        ? ({ outcome: 'stopped' } as const)
        : ({ outcome: 'error', error: error.toJSON() } as const);
    return log.append({ type: 'run-end', ...how });
  }
  for (const event of failedEvents(run, error, run.messages)) log.push(event);
}

/** Returns the log of a run that could not start. */
function failedEvents<Input>(
  { definition, input, runId }: StoredRun<Input>,
  error: CuelineError | undefined,
  messages: readonly UIMessage[] | undefined,
): RunEvent[] {
  return [...failedStart(definition.name, error, messages, input)].map((event) =>
    event.type === 'run-start' ? { ...event, runId } : event,
  );
}

/** Returns the events that end a run instead of one that cannot be stored. */
function endInstead<Input>({ seq, t, type }: RunEvent, run: StoredRun<Input>): readonly RunEvent[] {
  if (type === 'run-start') {
    const error = new CuelineError(
      'invalid_options',
      'A part of the messages has a field of the wrong type, or lacks one, so the run was not started. Send UI messages as the AI SDK defines them; a file, for example, needs a mediaType.',
    );
    return failedEvents(run, error, []);
  }
  const error = new CuelineError(
    'storage_failed',
    `An event of type ${type} has a field of the wrong type, or lacks one, so it cannot be stored and the run was ended. Check what the model's provider and the tools return.`,
  );
  return [{ seq, t, type: 'run-end', outcome: 'error', error: error.toJSON() }];
}
