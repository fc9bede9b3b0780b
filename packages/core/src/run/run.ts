import type { LanguageModel, UIMessage } from 'ai';
import { createId } from '../create-id.ts';
import { CuelineError } from '../errors.ts';
import { LOG_VERSION, type RequestAnswer, type RunEvent, type RunEventBody } from '../log/events.ts';
import { callAll } from '../log/call-all.ts';
import { initialState } from '../log/reduce.ts';
import { createRunLog, type RunLog } from '../log/run-log.ts';
import type { Scheduler } from '../log/schedule.ts';
import type { RunState, TaskState } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { EditReply, TaskEdit } from '../tasks/task.ts';
import type { Executor, RunCommand } from './executor.ts';
import { inProcess } from './in-process.ts';
import type { PromptOptions } from './options.ts';

export type RunOptions = {
  /** Names the run in a registry; made up where it is missing. */
  id?: string | undefined;
  /** Where the run happens; default `inProcess()`. */
  executor?: Executor | undefined;
  /** Model to use instead of the definition's own. */
  model?: string | LanguageModel | undefined;
  options?: PromptOptions | undefined;
  /** When to tell subscribers; default once a frame. */
  schedule?: Scheduler | undefined;
};

export type StartOptions = {
  /** Starting twice with the same key starts once, and both get the same promise. */
  key?: string | undefined;
};

/** What a user says: text, or a whole message for other parts than text. */
export type SendMessage = string | Pick<UIMessage, 'parts'>;

/**
 * A prompt that can be started, watched, continued and stopped. It belongs to whoever holds it and lives on when
 * nobody watches.
 */
export type Run<Input = void> = {
  readonly id: string;
  readonly definition: PromptDefinition<Input>;
  /** The state at this moment; the same object while nothing has happened. */
  getState(): RunState;
  /** Calls `listener` with the state at most once a frame, and once after the end. Returns the way to unsubscribe. */
  subscribe(listener: (state: RunState) => void): () => void;
  /** Calls `listener` with every event of every start, at once. Returns the way to stop. */
  listen(listener: (event: RunEvent) => void): () => void;
  /**
   * Starts afresh; a run that is under way is stopped first. Resolves with the text of the answer, and rejects with
   * the run's error, or with code `aborted` where it was stopped. The state says the same, so the promise may be ignored.
   */
  start(input: Input, options?: StartOptions): Promise<string>;
  /** Continues the conversation: the prompt's own messages, all turns so far, then this one. Resolves as `start` does. */
  send(message: SendMessage): Promise<string>;
  /**
   * Changes the task list of what is under way, or with `agent` (a path) the one of an agent; the model sees it at its
   * next step. An edit that makes no sense is refused with a reason.
   */
  edit(edit: TaskEdit, agent?: string): Promise<EditReply>;
  /** Answers an open request of `state.requests`. */
  respond(requestId: string, answer: RequestAnswer): Promise<EditReply>;
  /** Ends what is under way as `stopped`. */
  stop(): void;
  /** Every event since the last start. */
  log(): readonly RunEvent[];
};

/** How long an executor may take to say itself that it has stopped, in milliseconds. */
const STOP_GRACE_MS = 1_000;

/** A run of `definition` that has not started. */
export function createRun<Input = void>(
  definition: PromptDefinition<Input>,
  options: RunOptions = {},
): Run<Input> {
  const { id = createId('run'), executor = inProcess(), model, options: promptOptions, schedule } = options;
  const logOptions = schedule === undefined ? {} : { schedule };
  const subscribers = new Set<(state: RunState) => void>();
  const listeners = new Set<(event: RunEvent) => void>();
  let log: RunLog = createRunLog(logOptions);
  let unsubscribe: (() => void) | undefined;
  let current: { key: string | undefined; controller: AbortController; promise: Promise<string> } | undefined;
  /** The turns that the last start was given, and the input it was given them with. */
  let turns: readonly UIMessage[] = [];
  let lastInput: Input | undefined;
  /** What is shown between a start and its first event. */
  let starting: RunState | undefined;

  const getState = (): RunState => (log.events.length > 0 ? log.getState() : (starting ?? log.getState()));

  function notify(state: RunState): void {
    callAll(subscribers, state);
  }

  function watchLog(): void {
    unsubscribe?.();
    unsubscribe = subscribers.size === 0 ? undefined : log.subscribe(notify);
  }

  function begin(
    input: Input,
    messages: readonly UIMessage[],
    shown = messages,
    key?: string,
    tasks: readonly TaskState[] = [],
  ): Promise<string> {
    current?.controller.abort();
    // before the first event of the new start, so that whoever listens gets the two one after the other
    if (current !== undefined) end(log, { outcome: 'stopped' });
    const controller = new AbortController();
    const mine = (log = createRunLog(logOptions));
    mine.listen((event) => callAll(listeners, event));
    turns = messages;
    lastInput = input;
    starting = { ...initialState, messages: [...shown], status: 'running', phase: 'requesting' };
    watchLog();
    const promise = untilEnd(mine);
    // whoever ignores the promise sees the failure in the state
    promise.catch(() => {});
    current = { key, controller, promise };
    const request = { definition, input, model, options: promptOptions, messages, tasks };
    void consume(() => executor.start(request, controller.signal), mine, end);
    notify(getState());
    return promise;
  }

  /** Ends a run for its executor. One that has said nothing yet gets the start that it would have had. */
  function end(mine: RunLog, body: Omit<RunEnd, 'type'>): void {
    // a run that was replaced has been ended already, so `turns` are those of this one
    if (mine.events.length === 0) {
      mine.append({
        type: 'run-start',
        v: LOG_VERSION,
        runId: '',
        name: definition.name,
        model: '',
        messages: [...turns],
        messageId: '',
      });
    }
    mine.append({ type: 'run-end', ...body });
  }

  async function command(given: RunCommand): Promise<EditReply> {
    const [first] = log.events;
    if (first?.type !== 'run-start' || log.ended) {
      return { accepted: false, reason: 'The run is not under way.' };
    }
    const reply = await executor.send?.(first.runId, given);
    return reply ?? { accepted: false, reason: 'Where this run happens, it cannot be told anything.' };
  }

  /** The turns of the conversation so far: what the last start was given, and what the model has answered. */
  function turnsSoFar(): readonly UIMessage[] {
    const [first] = log.events;
    if (first?.type !== 'run-start') return turns;
    const opening = first.messages.length - turns.length;
    return getState().messages.slice(opening);
  }

  return {
    id,
    definition,
    getState,
    subscribe(listener) {
      subscribers.add(listener);
      if (subscribers.size === 1) watchLog();
      return () => {
        subscribers.delete(listener);
        if (subscribers.size === 0) watchLog();
      };
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start(input, { key } = {}) {
      if (key !== undefined && current?.key === key) return current.promise;
      return begin(input, [], [], key);
    },
    send(message) {
      const parts = typeof message === 'string' ? [{ type: 'text' as const, text: message }] : message.parts;
      const said: UIMessage = { id: createId('msg'), role: 'user', parts };
      // a conversation may begin with what the user says; a prompt that takes an input has been started with it
      const { messages, tasks } = getState();
      return begin(lastInput as Input, [...turnsSoFar(), said], [...messages, said], current?.key, tasks);
    },
    edit: (edit, agent) => command({ type: 'edit', edit, ...(agent === undefined ? {} : { agent }) }),
    respond: (requestId, answer) => command({ type: 'respond', requestId, answer }),
    stop() {
      const stopped = log;
      if (current === undefined || stopped.ended) return;
      current.controller.abort();
      if (stopped.events.length === 0) end(stopped, { outcome: 'stopped' });
      else setTimeout(() => end(stopped, { outcome: 'stopped' }), STOP_GRACE_MS);
    },
    log: () => log.events,
  };
}

type RunEnd = Extract<RunEventBody, { type: 'run-end' }>;

/** Writes an executor's events down, and ends the log where the executor did not. */
async function consume(
  start: () => AsyncIterable<RunEvent>,
  log: RunLog,
  end: (log: RunLog, body: Omit<RunEnd, 'type'>) => void,
): Promise<void> {
  try {
    for await (const event of start()) {
      log.push(event);
      if (log.ended) return;
    }
    const error = new CuelineError('stream_truncated', 'The run broke off without an end. Start it again.');
    end(log, { outcome: 'error', error: error.toJSON() });
  } catch (error) {
    const known = CuelineError.isInstance(error)
      ? error
      : new CuelineError('script_error', error instanceof Error ? error.message : String(error), {
          cause: error,
        });
    end(log, { outcome: 'error', error: known.toJSON() });
  }
}

/** The text of the answer once the log has ended, even where the executor never lets go. */
async function untilEnd(log: RunLog): Promise<string> {
  await new Promise<void>((resolve) => {
    const unlisten = log.listen(({ type }) => {
      if (type !== 'run-end') return;
      unlisten();
      resolve();
    });
  });
  const state = log.getState();
  if (state.status === 'error') throw CuelineError.fromJSON(state.error);
  if (state.status === 'stopped') throw new CuelineError('aborted', 'The run was stopped.');
  return state.text;
}
