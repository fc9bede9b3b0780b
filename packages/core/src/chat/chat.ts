import type { LanguageModel, UIMessage, UIMessageChunk } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { createId } from '../base/create-id.ts';
import { CuelineError } from '../base/errors.ts';
import { checkEvents } from '../executors/check-events.ts';
import type { Executor } from '../executors/executor.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import { inOptions } from '../prompt/option-names.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import { createChatRun, type ChatRun } from './chat-run.ts';
import { approvalsIn, outputsIn, tasksIn, toTurns } from './chat-turns.ts';

/** A request of an AI SDK chat: its messages, and the other options of its caller. */
export type ChatCall = {
  chatId: string;
  trigger: 'submit-message' | 'regenerate-message';
  messages: readonly UIMessage[];
  headers?: Record<string, string> | Headers | undefined;
  body?: object | undefined;
  metadata?: unknown;
};

/** Where the id of a chat's run is stored while it is in progress, such as `sessionStorage`. */
export type RunIds = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** How {@link PromptTransport} runs its prompt, apart from the input. */
export type ChatSettings = {
  /** Where runs happen; default `inProcess()`. */
  executor?: Executor | undefined;
  /** Model to use instead of the definition's own. */
  model?: string | LanguageModel | undefined;
  /** Call settings, tools, limits, approvals: what `runPrompt` takes as `options`. */
  options?: PromptOptions | undefined;
  /**
   * What happens to the run when a chat calls `stop()` or its component unmounts, which cannot be distinguished: it
   * ends (default), or it continues for a client that reconnects, and `stop` of the transport ends it.
   */
  onAbort?: 'stop' | 'detach' | undefined;
  /** Lets a chat find its run again after a reload, if the executor can attach to it. */
  runIds?: RunIds | undefined;
  /** The prompt function's input: a value, or a function of the call that returns it for each turn. */
  input?: unknown;
};

/** A prompt of a chat, and where it runs. */
export type ChatPrompt = {
  definition: PromptDefinition<unknown>;
  executor: Executor;
  settings: ChatSettings;
  /** The run of each chat, by the chat's id. */
  runs: Map<string, ChatRun>;
};

/** Every setting of a transport. The compiler checks the list against the type. */
const settingNames: Record<keyof ChatSettings, true> = {
  executor: true,
  input: true,
  model: true,
  onAbort: true,
  options: true,
  runIds: true,
};

/** How many chats are remembered whose runs have ended. A server has an unlimited number of them. */
const KEPT_CHATS = 100;

type Watcher = { chatId: string; abortSignal: AbortSignal | undefined };

type ChatMessage = ChatCall & { messageId: string | undefined; abortSignal: AbortSignal | undefined };

/** Searches for runs at their executors, by executor and run id. */
const searchesByExecutor = new WeakMap<Executor, Map<string, Promise<ChatRun | undefined>>>();

/** Starts a run with the messages of a chat, or sends the responses to the one that waits. */
export async function send(prompt: ChatPrompt, call: ChatMessage): Promise<ReadableStream<UIMessageChunk>> {
  checkNames('PromptTransport', prompt.settings, Object.keys(settingNames), 'invalid_options', (name) =>
    inOptions('new PromptTransport(prompt, ', name),
  );
  const { chatId, trigger, messages, messageId } = call;
  const about = messages.find(({ id }) => id === messageId) ?? messages.at(-1);
  // if the client continues with a response, the answer belongs to the same message
  const continued = trigger === 'submit-message' && about?.role === 'assistant' ? about : undefined;
  const approvals = approvalsIn(continued);
  const outputs = outputsIn(continued);
  if (approvals.size + outputs.size > 0) {
    const run = await findRun(prompt, chatId);
    const after = await run?.respond(approvals, outputs);
    if (run !== undefined && after !== undefined) return read(prompt, run, call, { after });
  }
  // an output that no run waits for is a result in the conversation like any other
  if ([...approvals.values()].some((answer) => answer !== undefined)) {
    throw new CuelineError(
      'interrupted',
      'The run that asked for this response no longer exists. Send a message to continue from here.',
    );
  }
  const run = await start(prompt, call, continued?.id);
  return read(prompt, run, call, { messageId: continued?.id });
}

/** Returns the chat's run in progress, from its beginning; null if there is none. */
export async function reconnect(
  prompt: ChatPrompt,
  call: Watcher,
): Promise<ReadableStream<UIMessageChunk> | null> {
  const run = prompt.runs.get(call.chatId) ?? (await findRun(prompt, call.chatId));
  return run === undefined || run.isOver ? null : read(prompt, run, call, {});
}

function read(
  { settings }: ChatPrompt,
  run: ChatRun,
  { abortSignal }: Watcher,
  part: { after?: number; messageId?: string | undefined },
): ReadableStream<UIMessageChunk> {
  return run.stream({ signal: abortSignal, stopsRun: settings.onAbort !== 'detach', ...part });
}

async function start(
  prompt: ChatPrompt,
  call: ChatMessage,
  continuedId: string | undefined,
): Promise<ChatRun> {
  const { definition, executor, settings, runs } = prompt;
  const { messageId: _id, abortSignal: _signal, ...chatCall } = call;
  const { chatId, messages } = call;
  const input: unknown =
    typeof settings.input === 'function' ? await settings.input(chatCall) : settings.input;
  // two runs of one chat would both answer
  const known = runs.get(chatId);
  if (known === undefined) stopRecalled(prompt, chatId);
  else known.stop();
  const controller = new AbortController();
  const { model, options } = settings;
  const run = createChatRun({
    name: definition.name,
    messages: [...messages],
    continuedId,
    executor,
    controller,
    events: checkEvents(
      executor.start(
        {
          definition,
          input,
          model,
          options,
          messages: toTurns(messages),
          tasks: tasksIn(messages),
          // lets a remote executor send the start again if its first attempt may have arrived
          key: createId('turn'),
        },
        controller.signal,
      ),
    ),
    onRunId: createIdMemory(settings.runIds, chatId),
  });
  remember(runs, chatId, run);
  if (call.abortSignal?.aborted === true) run.stop();
  return run;
}

/** Stops the chat's run that another page has started, if it is still in progress. */
function stopRecalled({ executor, settings }: ChatPrompt, chatId: string): void {
  const runId = recallRunId(settings.runIds, chatId);
  if (runId === undefined) return;
  // following it with an aborted signal ends it
  executor
    .attach?.(runId, -1, AbortSignal.abort())
    ?.[Symbol.asyncIterator]()
    .next()
    .catch(() => {});
}

/**
 * Returns the run of a chat: one that is known here, or one that continues elsewhere since before the page was
 * loaded.
 */
async function findRun(prompt: ChatPrompt, chatId: string): Promise<ChatRun | undefined> {
  const { executor, settings, runs } = prompt;
  const known = runs.get(chatId);
  if (known !== undefined) return known;
  const runId = recallRunId(settings.runIds, chatId);
  if (runId === undefined) return undefined;
  const searches = searchesByExecutor.get(executor) ?? new Map<string, Promise<ChatRun | undefined>>();
  searchesByExecutor.set(executor, searches);
  // a component that is mounted twice, as in StrictMode, searches twice
  const search = searches.get(runId) ?? attach(prompt, chatId, runId);
  searches.set(runId, search);
  try {
    return await search;
  } finally {
    searches.delete(runId);
  }
}

async function attach(prompt: ChatPrompt, chatId: string, runId: string): Promise<ChatRun | undefined> {
  const { definition, executor, settings, runs } = prompt;
  const controller = new AbortController();
  const iterator = checkEvents(executor.attach?.(runId, -1, controller.signal))?.[Symbol.asyncIterator]();
  const rememberId = createIdMemory(settings.runIds, chatId, runId);
  const forget = (): undefined => rememberId(undefined);
  if (iterator === undefined) return forget();
  let first;
  try {
    first = await iterator.next();
  } catch (error) {
    if (CuelineError.isInstance(error) && error.code === 'interrupted') return forget();
    throw error;
  }
  if (first.done === true) return forget();
  // a message that was sent meanwhile has begun the next run, and stopped this one
  if (runs.has(chatId)) {
    iterator.return?.().catch(() => {});
    return undefined;
  }
  const { value } = first;
  const run = createChatRun({
    name: definition.name,
    executor,
    controller,
    events: (async function* () {
      yield value;
      yield* { [Symbol.asyncIterator]: () => iterator };
    })(),
    onRunId: rememberId,
  });
  remember(runs, chatId, run);
  return run;
}

/**
 * Remembers the run as the chat's newest, and forgets the oldest of the chats whose runs are over, and after them of
 * those whose runs have ended, but no client has read it.
 */
function remember(runs: Map<string, ChatRun>, chatId: string, run: ChatRun): void {
  runs.delete(chatId);
  runs.set(chatId, run);
  for (const what of ['isOver', 'hasEnded'] as const) {
    for (const [id, known] of runs) {
      if (runs.size <= KEPT_CHATS) return;
      if (known[what]) runs.delete(id);
    }
  }
}

/**
 * Returns a function that stores a run's id, and forgets it with undefined, unless the chat has the id of another run
 * by then. If the store is full or blocked, only a reload does not find the run.
 */
function createIdMemory(
  runIds: RunIds | undefined,
  chatId: string,
  known?: string,
): (runId: string | undefined) => undefined {
  let mine = known;
  return (runId) => {
    try {
      if (runId !== undefined) runIds?.setItem(storageKey(chatId), (mine = runId));
      else if (recallRunId(runIds, chatId) === mine) runIds?.removeItem(storageKey(chatId));
    } catch {
      return undefined;
    }
  };
}

function recallRunId(runIds: RunIds | undefined, chatId: string): string | undefined {
  try {
    return runIds?.getItem(storageKey(chatId)) ?? undefined;
  } catch {
    return undefined;
  }
}

function storageKey(chatId: string): string {
  return `cueline:chat:${chatId}`;
}
