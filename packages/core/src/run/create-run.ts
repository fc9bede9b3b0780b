import type { EditReply } from '../tasks/task-item.ts';
import type { EventWriter, TabbedRun } from '../storage/event-writer.ts';
import type { UIMessage } from 'ai';
import { createId } from '../base/create-id.ts';
import { CuelineError } from '../base/errors.ts';
import { callAll } from '../log/call-all.ts';
import type { RunEvent } from '../log/events.ts';
import { initialState } from '../log/reduce.ts';
import { createRunLog, type RunLog } from '../log/run-log.ts';
import type { PromptTypes, RunState } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import { createAttempt, type Attempt, type LostConnection } from './attempt.ts';
import { createAttempts, refused } from './attempts.ts';
import { createClientToolRunner } from '../client-tools/client-tools.ts';
import type { Executor, RunCommand, RunRequest } from '../executors/executor.ts';
import { inProcess } from '../executors/in-process.ts';
import { openLazily } from '../executors/open-lazily.ts';
import { loadedRetries, loadRetries } from './load-retries.ts';
import { upgradeLog } from '../log/upgrade-log.ts';
import { lastRunId, logUpTo, countPromptMessages } from '../log/log-queries.ts';
import type { AttemptInput } from './attempt-input.ts';
import { createStateOverlay } from './overlay-state.ts';
import { createRestoring } from './restore-run.ts';
import type { Run, RunOptions, RunSettings } from './run.ts';
import { refuseSettings } from './refuse-settings.ts';
import type { RetriedRun } from './retry-run.ts';
import { readSendMessage, refuseMessage } from './send-message.ts';
import type { StoredCalls } from '../executors/stored-calls.ts';

/** Creates a run of `definition` that has not started. */
export function createRun<Input = void, Types extends PromptTypes = PromptTypes>(
  definition: PromptDefinition<Input, Types>,
  options: RunOptions<Types> = {},
): Run<Input, Types> {
  return openRun(definition, options, undefined);
}

/**
 * `firstInput` is the input that the log in `options` was started with, if it is known more exactly than the log has
 * it.
 */
function openRun<Input, Types extends PromptTypes>(
  definition: PromptDefinition<Input, Types>,
  options: RunOptions<Types>,
  firstInput: Input | undefined,
): Run<Input, Types> {
  const { id = createId('run'), storage, log: earlier = [], schedule, tools, ...given } = options;
  const past = upgradeLog(earlier);
  let settings: RunSettings & { definition: PromptDefinition<Input, Types> } = { ...given, definition };
  const subscribers = new Set<(state: RunState<Types>) => void>();
  const listeners = new Set<(event: RunEvent) => void>();
  const attempts = createAttempts(notify, follow);
  const overlay = createStateOverlay();
  const clientTools = createClientToolRunner();
  if (tools !== undefined) clientTools.provide(tools);
  /** The shown log; before the first start, the log of the past. */
  let log: RunLog = createRunLog({ events: past });
  let unsubscribe: (() => void) | undefined;
  let lastInput = firstInput;
  /** The state between a start and its first event. */
  let starting: RunState | undefined;
  let storageError: CuelineError | undefined;
  let takeBackRetry = (): unknown => undefined;

  const noteStorage = (error: CuelineError | undefined): void => {
    storageError = error;
    notify();
  };
  let writer: EventWriter | undefined;

  function getState(): RunState<Types> {
    return show(log.events.length === 0 ? stateBefore() : log.getState());
  }

  /** Returns the state before the first event. */
  function stateBefore(): RunState {
    return restoring.moves > 0 ? requesting : (starting ?? log.getState());
  }

  function show(state: RunState): RunState<Types> {
    const replaying = attempts.shown?.replays === true && !log.ended;
    // a definition's types are those of its logs
    return overlay(state, {
      queued: attempts.queued,
      replaying,
      storageError,
      pending: attempts.pending,
    });
  }

  function notify(): void {
    callAll(subscribers, getState());
  }

  function watchLog(): void {
    unsubscribe?.();
    unsubscribe =
      subscribers.size === 0 ? undefined : log.subscribe((state) => callAll(subscribers, show(state)));
  }

  /** Creates an attempt of `request`, or of a log of the past, and shows it. */
  function take(
    request: RunRequest<Input> | undefined,
    events: readonly RunEvent[],
    key: string | undefined,
    executor: Executor = settings.executor ?? inProcess(),
    calls?: StoredCalls,
  ): Attempt {
    let made: Attempt | undefined;
    const attempt = (made = createAttempt({
      executor: writer?.executor(executor, request !== undefined) ?? executor,
      // an executor takes every prompt, each with its own input
      request: request as RunRequest<never> | undefined,
      events,
      name: settings.definition.name,
      key,
      schedule,
      onEvent(event) {
        // before the attempt exists, it is the one that will be shown
        const isShown = made === undefined || made === attempts.shown;
        // a reader of the log sees that it breaks off, and another page may still be writing it
        if (isShown && !isInterruption(event, made?.lost)) writer?.add(event);
        calls?.see(event);
        if (isShown) callAll(listeners, event);
        // only what an attempt in the background waits for is reported
        else if (/^(approval|client-tool|run-end)/.test(event.type)) notify();
      },
    }));
    ({ log } = attempt);
    attempts.show(attempt);
    watchLog();
    clientTools.follow(attempt);
    // a retry reports it if this fails
    loadRetries().catch(() => {});
    return attempt;
  }

  /**
   * `key` finds the start in this run, and `requestKey` at the executor: there, a later turn differs from the first
   * one, and a start
   * without an answer can be sent again.
   */
  function begin(
    input: Input,
    { messages, tasks, shows, events = [], signal, unfinishedCalls }: AttemptInput,
    key: string | undefined,
    requestKey = createId('start'),
  ): Promise<unknown> {
    const { definition: latest, model, options: promptOptions, executor, ...unknown } = settings;
    lastInput = input;
    if (writer !== undefined) storageError = undefined;
    starting = { ...requesting, messages: [...shows] };
    for (const event of events) writer?.add(event);
    const calls = writer?.calls();
    const previousRunId = tasks.length === 0 ? undefined : lastRunId(log.events);
    const attempt = take(
      {
        definition: latest,
        input,
        model,
        options: promptOptions,
        messages,
        tasks,
        ...(previousRunId === undefined ? {} : { previousRunId }),
        unfinishedCalls,
        key: requestKey,
        whenStored: calls?.whenStored,
      },
      events,
      key,
      Object.values(unknown).every((value) => value === undefined) ? executor : refuseSettings(unknown),
      calls,
    );
    const stop = (): void => attempt.stop();
    signal?.addEventListener('abort', stop, { once: true });
    const letGo = (): void => signal?.removeEventListener('abort', stop);
    void attempt.result.then(letGo, letGo);
    notify();
    return attempt.result;
  }

  /** Starts the shown conversation again, with the key of its first start. */
  function resume(opening: AttemptInput): Promise<unknown> {
    // a conversation may begin with a message; a prompt with an input has been started with it
    return begin(lastInput as Input, opening, attempts.shown?.key);
  }

  function say({ parts }: Pick<UIMessage, 'parts'>, signal: AbortSignal | undefined): Promise<unknown> {
    const { messages, tasks } = getState();
    const shows: UIMessage[] = [...messages, { id: createId('msg'), role: 'user', parts }];
    return resume({ messages: shows.slice(countPromptMessages(log.events)), tasks, shows, signal });
  }

  /** Continues lost work: the run if it still exists, or the start, which its executor makes only once. */
  function find({ request, events }: LostConnection, key: string | undefined): Attempt {
    const attempt = take(request as RunRequest<Input> | undefined, events, key);
    if (request === undefined) follow(attempt);
    notify();
    return attempt;
  }

  /** The run as its retries and other tabs use it. */
  const self: RetriedRun & TabbedRun = {
    attempts,
    find,
    resume,
    log: () => log.events,
    replays: () => settings.executor?.replays === true,
    show(events) {
      lastInput = undefined;
      takeUp(events, true);
    },
    retry: () => retry(undefined),
    command,
    stop,
  };

  const restoring = createRestoring({
    id,
    storage,
    past,
    takeUp,
    run: self,
    onWriter: (made) => (writer = made),
    onError: noteStorage,
    onChange: notify,
  });

  /** Waits for the code only if the page has just been loaded. A start or stop meanwhile cancels the retry. */
  function retry(from: number | undefined): Promise<unknown> {
    const part = loadedRetries();
    if (part !== undefined) return part.retryRun(self, from);
    const { shown } = attempts;
    let isTakenBack = false;
    takeBackRetry = () => (isTakenBack = true);
    const result = loadRetries().then((loaded) =>
      isTakenBack || attempts.shown !== shown
        ? refused(new CuelineError('aborted', 'The retry was stopped.'))
        : loaded.retryRun(self, from),
    );
    // like every start, it may be ignored
    result.catch(() => {});
    return result;
  }

  /** Continues a log of the past, and its work if that still goes on. */
  function takeUp(events: readonly RunEvent[], isStored: boolean): void {
    const [first] = events;
    if (first?.type !== 'run-start') return;
    lastInput ??= first.input as Input;
    const start = events.findLast((event) => event.type === 'run-start' || event.type === 'run-resume');
    const attempt = take(undefined, events, start?.key);
    if (log.ended) return;
    if (follow(attempt) && !isStored) for (const event of events) writer?.add(event);
  }

  /**
   * Attaches to an attempt's work, or ends the attempt if the work is not known any more. False in the second case.
   */
  function follow(attempt: Attempt): boolean {
    if (attempt.attach()) return true;
    attempt.fail(
      new CuelineError('interrupted', 'The page of this run was closed. retry() continues the run.'),
    );
    return false;
  }

  function stop(): void {
    takeBackRetry();
    restoring.stop(attempts.stop);
  }

  /**
   * Runs an action that continues what is shown. Only one tab does; `ends` is true if another tab's end is as good.
   */
  function alone(move: () => Promise<unknown>, ends = false): Promise<unknown> {
    return writer?.alone(move, ends) ?? move();
  }

  async function command(given: RunCommand, attempt = attempts.shown): Promise<EditReply> {
    try {
      return (await attempt?.send(given)) ?? { accepted: false, reason: 'The run is not under way.' };
    } catch (error) {
      if (!CuelineError.isInstance(error) || error.code === 'invalid_options') throw error;
      return { accepted: false, reason: error.message };
    }
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
      void restoring.restored();
      return () => {
        subscribers.delete(listener);
        if (subscribers.size === 0) watchLog();
      };
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    events: (afterSeq) =>
      openLazily(async () => {
        await restoring.restored();
        return log.read(afterSeq)[Symbol.asyncIterator]();
      }),
    get finished() {
      const end = restoring.restored().then(() => attempts.shown?.result);
      return end.then(getState, getState);
    },
    configure(given) {
      settings = { ...settings, ...given };
    },
    start(input, { key, whenBusy, signal } = {}) {
      const opening: AttemptInput = { messages: [], tasks: [], shows: [], signal };
      const start = (): Promise<unknown> => begin(input, opening, key, key);
      const enter = (): Promise<unknown> =>
        attempts.find(key) ?? attempts.request(start, { key, whenBusy, signal });
      return restoring.when(enter, { key, signal });
    },
    send(message, { whenBusy, signal } = {}) {
      const given = readSendMessage(message);
      if (given === undefined) return refuseMessage(message);
      const start = (): Promise<unknown> => attempts.request(() => say(given, signal), { whenBusy, signal });
      const enter = (): Promise<unknown> => (whenBusy === undefined ? alone(start) : start());
      return restoring.when(enter, { signal });
    },
    retry: ({ from } = {}) => restoring.when(() => alone(() => retry(from), from === undefined)),
    edit: (edit, agent) => command({ type: 'edit', edit, ...(agent === undefined ? {} : { agent }) }),
    provideTools: clientTools.provide,
    respondToApproval: (approvalId, response) =>
      command({ type: 'approval-response', approvalId, response }, attempts.ownerOf(approvalId)),
    respondToClientTool: (clientCallId, response) =>
      command({ type: 'client-tool-response', clientCallId, response }, attempts.ownerOf(clientCallId)),
    claimClientTool: (clientCallId, page, instead) =>
      command(
        { type: 'client-tool-claim', clientCallId, page, ...(instead === undefined ? {} : { instead }) },
        attempts.ownerOf(clientCallId),
      ),
    stop,
    detach: () => attempts.shown?.detach(),
    attach() {
      const { shown } = attempts;
      if (shown?.lost) find(shown.lost, shown.key);
      else if (shown && !log.ended) follow(shown);
    },
    log: () => log.events,
    at: (seq) => log.at(seq),
    fork(seq = Infinity) {
      const { definition: latest, ...rest } = settings;
      return openRun<Input, Types>(
        latest,
        { ...rest, tools, storage, schedule, log: logUpTo(log.events, seq) },
        lastInput,
      );
    },
    get restored() {
      return restoring.restored();
    },
  };
}

// the initial state is idle, so it has no field that a running state lacks
const idle = initialState as Extract<RunState, { status: 'idle' }>;
const requesting: RunState = { ...idle, status: 'running', phase: 'requesting' };

/** True for an end of this page's view only: the run may continue where it happens. */
function isInterruption(event: RunEvent, lost: LostConnection | undefined): boolean {
  return event.type === 'run-end' && (event.error?.code === 'interrupted' || (!!lost && !lost.request));
}
