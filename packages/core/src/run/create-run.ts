import type { UIMessage } from 'ai';
import { createId } from '../create-id.ts';
import { CuelineError } from '../errors.ts';
import type { RunEvent } from '../log/events.ts';
import { callAll } from '../log/call-all.ts';
import { initialState, reduceAll } from '../log/reduce.ts';
import { createRunLog, type RunLog } from '../log/run-log.ts';
import type { RunState, TaskState } from '../log/state.ts';
import type { PromptTypes } from '../prompt-types.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { EditReply } from '../tasks/task.ts';
import { createAttempt, type Attempt } from './attempt.ts';
import type { RunCommand, RunRequest } from './executor.ts';
import { inProcess } from './in-process.ts';
import { keepSteps, openingOf, type KeptRun } from './keep-steps.ts';
import type { Run, RunOptions, RunSettings, WhenBusy } from './run.ts';
import { createStartQueue } from './start-queue.ts';
import { asStorageError, createEventWriter } from './store-events.ts';

/** What a start gives to the executor, and shows before the first event. */
type Opening<Input> = {
  input: Input;
  messages: readonly UIMessage[];
  tasks?: readonly TaskState[] | undefined;
  key: string | undefined;
  shows?: readonly UIMessage[] | undefined;
  kept?: KeptRun | undefined;
  signal?: AbortSignal | undefined;
};

/** A run of `definition` that has not started. */
export function createRun<Input = void, Types extends PromptTypes = PromptTypes>(
  definition: PromptDefinition<Input, Types>,
  options: RunOptions = {},
): Run<Input, Types> {
  const { id = createId('run'), storage, log: past, schedule, ...given } = options;
  let settings: RunSettings & { definition: PromptDefinition<Input, Types> } = { ...given, definition };
  const subscribers = new Set<(state: RunState<Types>) => void>();
  const listeners = new Set<(event: RunEvent) => void>();
  const queue = createStartQueue(() => notify());
  /** Starts that go on out of sight. */
  const background = new Set<Attempt>();
  let current: Attempt | undefined;
  /** The log to show before anything has started here. */
  let log: RunLog = createRunLog({ ...(past === undefined ? {} : { events: past }) });
  let unsubscribe: (() => void) | undefined;
  let lastInput: Input | undefined;
  /** What is shown between a start and its first event. */
  let starting: RunState | undefined;
  let storageError: CuelineError | undefined;
  let restoring: Promise<void> | undefined;
  let isRestored = storage === undefined || past !== undefined;
  /** Counts the stops, each of which takes back the starts that still wait for what is stored. */
  let stops = 0;
  let shown: { base: RunState; state: RunState<Types> } | undefined;

  const writer =
    storage &&
    createEventWriter(storage, id, (error) => {
      storageError = error;
      notify();
    });

  /** The log's state, with what only this run knows. */
  function getState(): RunState<Types> {
    const base = log.events.length === 0 && starting !== undefined ? starting : log.getState();
    const queued = queue.length;
    const replaying = current?.replays === true && !log.ended;
    const error = storageError?.toJSON();
    if (
      shown?.base !== base ||
      shown.state.queued !== queued ||
      shown.state.replaying !== replaying ||
      shown.state.storageError?.message !== error?.message
    ) {
      const asItIs = queued === 0 && !replaying && error === undefined;
      const state = asItIs
        ? base
        : { ...base, queued, replaying, ...(error === undefined ? {} : { storageError: error }) };
      // a definition's types are those of its logs
      shown = { base, state: state as RunState<Types> };
    }
    return shown.state;
  }

  function notify(): void {
    callAll(subscribers, getState());
  }

  function watchLog(): void {
    unsubscribe?.();
    unsubscribe = subscribers.size === 0 ? undefined : log.subscribe(notify);
  }

  const isBusy = (): boolean => current !== undefined && !log.ended;

  /** Makes the work behind `request`, or behind a log of the past, what this run shows. */
  function take(
    request: RunRequest<Input> | undefined,
    events: readonly RunEvent[],
    key: string | undefined,
  ): Attempt {
    let made: Attempt | undefined;
    made = createAttempt({
      executor: settings.executor ?? inProcess(),
      // an executor takes every prompt, each with its own input
      request: request as RunRequest<never> | undefined,
      events,
      name: settings.definition.name,
      key,
      schedule,
      onEvent(event) {
        // what goes on out of sight is not told; before it is made, it is what will be seen
        if (made !== undefined && made !== current) return;
        writer?.add(event);
        callAll(listeners, event);
      },
    });
    current = made;
    ({ log } = made);
    watchLog();
    const whenEnded = (): void => {
      background.delete(made);
      if (made === current) queue.next();
    };
    void made.result.then(whenEnded, whenEnded);
    return made;
  }

  function begin({
    input,
    messages,
    tasks = [],
    key,
    shows,
    kept,
    signal,
  }: Opening<Input>): Promise<unknown> {
    const { definition: latest, model, options: promptOptions } = settings;
    lastInput = input;
    starting = {
      ...initialState,
      messages: [...(shows ?? messages)],
      status: 'running',
      phase: 'requesting',
    };
    for (const event of kept?.events ?? []) writer?.add(event);
    const attempt = take(
      { definition: latest, input, model, options: promptOptions, messages, tasks, key },
      kept?.events ?? [],
      key,
    );
    const stop = (): void => attempt.stop();
    signal?.addEventListener('abort', stop, { once: true });
    const letGo = (): void => signal?.removeEventListener('abort', stop);
    void attempt.result.then(letGo, letGo);
    notify();
    return attempt.result;
  }

  /** Makes a start now, or does with it what `whenBusy` says. */
  function enter(
    start: () => Promise<unknown>,
    {
      key,
      whenBusy = 'replace',
      signal,
    }: { key?: string | undefined; whenBusy?: WhenBusy | undefined; signal?: AbortSignal | undefined },
  ): Promise<unknown> {
    if (signal?.aborted === true)
      return failed(new CuelineError('aborted', 'The signal of this start had aborted.'));
    if (whenBusy === 'queue' && (isBusy() || queue.length > 0)) return queue.add(start, key, signal);
    if (current !== undefined && isBusy()) {
      if (whenBusy === 'reject') {
        return failed(
          new CuelineError(
            'busy',
            "The run is under way. Wait for its end, or start with { whenBusy: 'queue' }, 'replace' or 'parallel'.",
          ),
        );
      }
      if (whenBusy === 'parallel') background.add(current);
      else replace();
    }
    return start();
  }

  /** Ends what is under way before the next begins, so that whoever listens gets the two one after the other. */
  function replace(): void {
    queue.clear();
    current?.replace();
  }

  /** The result of a start that was made with this key. */
  function startedWith(key: string | undefined): Promise<unknown> | undefined {
    if (key === undefined) return undefined;
    const attempt = [current, ...background].find((made) => made?.key === key);
    return attempt?.result ?? queue.find(key);
  }

  /** Does what it is told once it is known what the storage has of this run. */
  function whenRestored(move: () => Promise<unknown>): Promise<unknown> {
    const restored = restore();
    if (isRestored) return move();
    const before = stops;
    starting ??= { ...initialState, status: 'running', phase: 'requesting' };
    notify();
    const moved = restored.then(() => {
      if (before === stops) return move();
      throw new CuelineError('aborted', 'The run was stopped.');
    });
    moved.catch(() => {});
    return moved;
  }

  function restore(): Promise<void> {
    return (restoring ??= isRestored ? Promise.resolve(takeUp(past)) : load());
  }

  async function load(): Promise<void> {
    let stored: readonly RunEvent[] | undefined;
    try {
      stored = await storage?.load(id);
    } catch (error) {
      storageError = asStorageError(error);
    }
    isRestored = true;
    starting = undefined;
    takeUp(stored);
    notify();
  }

  /** Goes on with a log of the past: with the work behind it, where that still goes on. */
  function takeUp(events: readonly RunEvent[] = []): void {
    const [first] = events;
    if (first?.type !== 'run-start') return;
    lastInput = first.input as Input;
    const start = events.findLast(({ type }) => type === 'run-start' || type === 'run-resume');
    const attempt = take(undefined, events, start !== undefined && 'key' in start ? start.key : undefined);
    if (!log.ended) attach(attempt);
  }

  function attach(attempt: Attempt): void {
    if (attempt.attach()) return;
    attempt.fail(
      new CuelineError(
        'interrupted',
        'The page that ran this went away before its end. What it had is here; retry() goes on from its last whole step.',
      ),
    );
  }

  function retry(from: number | undefined): Promise<unknown> {
    const [first] = log.events;
    if (first?.type !== 'run-start') {
      return failed(
        new CuelineError('invalid_options', 'Nothing has run that could be tried again. Call start(input).'),
      );
    }
    let kept: KeptRun | undefined;
    try {
      kept = keepSteps(log.events, from);
    } catch (error) {
      return failed(error);
    }
    replace();
    const key = current?.key;
    const input = lastInput as Input;
    if (kept !== undefined) return begin({ input, ...kept, key, kept });
    const messages = first.messages.slice(openingOf(log.events));
    return begin({
      input,
      messages,
      tasks: messages.length === 0 ? [] : tasksAtFirst(log.events),
      key,
      shows: first.messages,
    });
  }

  async function command(said: RunCommand): Promise<EditReply> {
    return current?.tell(said) ?? { accepted: false, reason: 'The run is not under way.' };
  }

  return {
    id,
    get definition() {
      return settings.definition;
    },
    getState,
    subscribe(listener) {
      subscribers.add(listener);
      if (subscribers.size === 1) watchLog();
      void restore();
      return () => {
        subscribers.delete(listener);
        if (subscribers.size === 0) watchLog();
      };
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    configure(said) {
      settings = { ...settings, ...said };
    },
    start: (input, { key, ...rest } = {}) =>
      whenRestored(
        () =>
          startedWith(key) ??
          enter(() => begin({ input, messages: [], key, signal: rest.signal }), { key, ...rest }),
      ),
    send: (message, rest = {}) =>
      whenRestored(() =>
        enter(() => {
          const parts =
            typeof message === 'string' ? [{ type: 'text' as const, text: message }] : message.parts;
          const said: UIMessage = { id: createId('msg'), role: 'user', parts };
          const { messages, tasks } = getState();
          return begin({
            // a conversation may begin with what the user says; a prompt that takes an input has been started with it
            input: lastInput as Input,
            messages: [...messages.slice(openingOf(log.events)), said],
            shows: [...messages, said],
            tasks,
            key: current?.key,
            signal: rest.signal,
          });
        }, rest),
      ),
    retry: ({ from } = {}) => whenRestored(() => retry(from)),
    edit: (edit, agent) => command({ type: 'edit', edit, ...(agent === undefined ? {} : { agent }) }),
    respond: (requestId, answer) => command({ type: 'respond', requestId, answer }),
    stop() {
      stops += 1;
      queue.clear();
      for (const attempt of background) attempt.stop();
      current?.stop();
    },
    detach: () => current?.detach(),
    attach() {
      if (current !== undefined && isBusy()) attach(current);
    },
    log: () => log.events,
    at: (seq) => log.at(seq) as RunState<Types>,
    fork(seq = Infinity) {
      const events = log.events.slice(0, Math.max(0, seq + 1));
      const last = events.at(-1);
      if (last !== undefined && last.type !== 'run-end') {
        events.push({ seq: last.seq + 1, t: last.t, type: 'run-end', outcome: 'stopped' });
      }
      const { definition: latest, ...rest } = settings;
      return createRun(latest, {
        ...rest,
        storage,
        schedule,
        ...(events.length === 0 ? {} : { log: events }),
      });
    },
    get restored() {
      return restore();
    },
  };
}

/** The tasks as they stood before the first step. */
function tasksAtFirst(events: readonly RunEvent[]): readonly TaskState[] {
  const first = events.findIndex(({ type }) => type === 'step-start');
  return reduceAll(first < 0 ? events : events.slice(0, first)).tasks;
}

function failed(error: unknown): Promise<never> {
  const promise = Promise.reject(error as Error);
  // whoever ignores it need not hear of it
  promise.catch(() => {});
  return promise;
}
