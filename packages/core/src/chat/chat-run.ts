import type { UIMessage, UIMessageChunk } from 'ai';
import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import type { Executor } from '../executors/executor.ts';
import { LOG_VERSION, type ApprovalResponse, type ClientToolResponse, type RunEvent } from '../log/events.ts';
import { isPending } from '../log/pending.ts';
import type { RunCommand } from '../log/run-handle.ts';
import { createRunLog } from '../log/run-log.ts';
import { createChatTranslator } from './chat-chunks.ts';

/** How long to wait for other calls that may also need a response, in milliseconds. */
const SETTLE_MS = 50;
/**
 * How long a run that was found again may be silent before its remaining events count as missing, in milliseconds.
 */
const CATCH_UP_MS = 1_000;
/** How long an executor may take to report its own stop, in milliseconds. */
const STOP_GRACE_MS = 1_000;

/** The run that a chat has, or had last. It continues while no client reads it. */
export type ChatRun = {
  /** True if a reconnecting client has nothing to read: the run was stopped, or its end has been read. */
  readonly isOver: boolean;
  /** True if the run has ended, whether or not a client has read its end. */
  readonly hasEnded: boolean;
  /**
   * Returns the run as chunks of the AI SDK, up to its end or to a wait: all of it, or what comes after the event
   * `after`. Aborting `signal` ends the stream, and also the run if `stopsRun` is true and no other client reads.
   */
  stream(options: ChatStreamOptions): ReadableStream<UIMessageChunk>;
  /**
   * Sends the responses to approvals, by their ids, and the outputs of calls, by the calls' ids; only outputs of
   * pending client tool calls count. Returns the event after which the rest begins, or undefined if this run has none
   * of them pending.
   * @throws CuelineError `interrupted` if a response cannot be delivered
   */
  respond(
    approvals: ReadonlyMap<string, ApprovalResponse | undefined>,
    outputs: ReadonlyMap<string, ClientToolResponse>,
  ): Promise<number | undefined>;
  stop(): void;
  /** Returns the chat: the messages that the run was started with, and its answer. */
  messages(): UIMessage[];
};

export type ChatStreamOptions = {
  signal: AbortSignal | undefined;
  stopsRun: boolean;
  after?: number;
  /** Id of the message that the answer continues, if it is not a message of its own. */
  messageId?: string | undefined;
};

export type ChatRunOptions = {
  /** The messages of the chat when the run was started; undefined if only the run knows them. */
  messages?: readonly UIMessage[];
  /** Id of the message of `messages` that the answer continues, if it is not a message of its own. */
  continuedId?: string | undefined;
  /** The prompt's name, for a run without a `run-start`. */
  name: string;
  executor: Executor;
  controller: AbortController;
  events: AsyncIterable<RunEvent>;
  /** Called with the id that finds the run again, and with undefined when there is nothing more to find. */
  onRunId: (runId: string | undefined) => void;
};

/** Records the events of a run, for clients that read them now or later. */
export function createChatRun(options: ChatRunOptions): ChatRun {
  return new ChatAttempts(options);
}

/** A run as a chat reads it. */
class ChatAttempts implements ChatRun {
  readonly #options: ChatRunOptions;
  readonly #executor;
  readonly #controller;
  readonly #onRunId;
  readonly #log = createRunLog();
  /** Ids of approvals and client tool calls whose response has been sent. */
  readonly #answered = new Set<string>();
  #readers = 0;
  #pausedAfter = -1;
  #isOver = false;

  constructor(options: ChatRunOptions) {
    this.#options = options;
    this.#executor = options.executor;
    this.#controller = options.controller;
    this.#onRunId = options.onRunId;
    this.#log.listen((event) => {
      const begins = event.type === 'run-start' || event.type === 'run-resume';
      if (begins && event.runId !== '' && !this.#isOver) this.#onRunId(event.runId);
    });
    void this.#record();
  }

  stop(): void {
    this.#over();
    if (this.#log.ended) return;
    this.#controller.abort();
    setTimeout(() => this.#end({ outcome: 'stopped' }), STOP_GRACE_MS);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get hasEnded(): boolean {
    return this.#log.ended;
  }

  stream(options: ChatStreamOptions): ReadableStream<UIMessageChunk> {
    const { signal, stopsRun } = options;
    const disconnected = new AbortController();
    this.#readers += 1;
    const leave = (): void => {
      if (disconnected.signal.aborted) return;
      disconnected.abort();
      this.#readers -= 1;
    };
    const onAbort = (): void => {
      leave();
      // a component that is shown again at once, as in StrictMode, has reconnected by then
      if (stopsRun) setTimeout(() => this.#readers === 0 && this.stop());
    };
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted === true) leave();
    const reader = this.#chunks(options, disconnected.signal);
    return new ReadableStream<UIMessageChunk>({
      async pull(controller) {
        const next = await reader.next();
        if (next.done !== true) return controller.enqueue(next.value);
        // after a cancelled stream, the signal says whether the reader is gone for good
        signal?.removeEventListener('abort', onAbort);
        leave();
        controller.close();
      },
      cancel: leave,
    });
  }

  async respond(
    approvals: ReadonlyMap<string, ApprovalResponse | undefined>,
    outputs: ReadonlyMap<string, ClientToolResponse>,
  ): Promise<number | undefined> {
    // a client that sends automatically would read the end of a stopped run again and again
    if (this.#isOver && this.#log.getState().status === 'stopped') return undefined;
    // a run that was started here has reported everything that its client knows
    if (this.#options.messages === undefined) await this.#caughtUp([...approvals.keys(), ...outputs.keys()]);
    /** By the ids of approvals and client tool calls. */
    const commands = new Map<string, RunCommand | undefined>();
    for (const [approvalId, response] of approvals) {
      commands.set(approvalId, response && { type: 'approval-response', approvalId, response });
    }
    for (const { clientCallId, toolCallId, agent } of this.#log.getState().clientToolCalls) {
      const response = outputs.get(agent === undefined ? toolCallId : clientCallId);
      if (response !== undefined) {
        commands.set(clientCallId, { type: 'client-tool-response', clientCallId, response });
      }
    }
    const last = this.#log.events.findLastIndex((event) => {
      if (event.type === 'approval-request') return commands.has(event.approvalId);
      return event.type === 'client-tool-request' && commands.has(event.clientCallId);
    });
    if (last < 0) return undefined;
    const isStillPending = (id: string): boolean => {
      const { approvals: asked, clientToolCalls } = this.#log.getState();
      return (
        asked.some((each) => each.approvalId === id && isPending(each)) ||
        clientToolCalls.some((each) => each.clientCallId === id && isPending(each))
      );
    };
    for (const [id, command] of commands) {
      if (command === undefined || !isStillPending(id)) continue;
      const reply = await this.#executor.send?.(this.#log.getState().runId, command);
      if (reply?.accepted === true) this.#answered.add(id);
      // another client may have responded meanwhile; otherwise a client that sends automatically would repeat
      // this forever
      else if (isStillPending(id)) {
        throw new CuelineError('interrupted', reply?.reason ?? 'This executor accepts no commands.');
      }
    }
    return Math.max(last, this.#pausedAfter);
  }

  messages(): UIMessage[] {
    const [first] = this.#log.events;
    if (first?.type !== 'run-start') return [...(this.#options.messages ?? [])];
    const { messages, turns = messages.length } = first;
    const chunks = this.#options.messages ?? messages.slice(messages.length - turns);
    const answer = this.#log.getState().messages.filter(({ id }) => id === first.messageId);
    const { continuedId } = this.#options;
    // a client that resumes a run builds the run's message anew, without the parts of an earlier one
    if (continuedId === undefined || !this.#isOver) return [...chunks, ...answer];
    const parts = answer.flatMap((message) => message.parts);
    return chunks.map((message) =>
      message.id === continuedId ? { ...message, parts: [...message.parts, ...parts] } : message,
    );
  }

  async #record(): Promise<void> {
    let error = new CuelineError('stream_truncated', 'The run ended unexpectedly. Start it again.');
    try {
      for await (const event of this.#options.events) {
        this.#log.push(event);
        if (this.#log.ended) return;
      }
    } catch (cause) {
      error = CuelineError.isInstance(cause)
        ? cause
        : new CuelineError('script_error', thrownText(cause), { cause });
    }
    this.#end({ outcome: 'error', error: error.toJSON() });
  }

  #end(how: Omit<Extract<RunEvent, { type: 'run-end' }>, 'type' | 'seq' | 't'>): void {
    if (this.#log.events.length === 0) {
      const messages = this.#options.messages ?? [];
      const { name } = this.#options;
      this.#log.append({
        type: 'run-start',
        v: LOG_VERSION,
        runId: '',
        name,
        model: '',
        messages,
        messageId: '',
      });
    }
    this.#log.append({ type: 'run-end', ...how });
  }

  #over(): void {
    if (!this.#isOver) this.#onRunId(undefined);
    this.#isOver = true;
  }

  /** Resolves with false when there is an event to read or `left` aborts, and with true after `ms`. */
  #quietFor(ms: number | undefined, count: number, disconnected: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (quiet: boolean): void => {
        unlisten();
        clearTimeout(timer);
        disconnected.removeEventListener('abort', wake);
        resolve(quiet);
      };
      const wake = (): void => done(false);
      const unlisten = this.#log.listen(wake);
      const timer = ms === undefined ? undefined : setTimeout(() => done(true), ms);
      disconnected.addEventListener('abort', wake);
      if (this.#log.events.length > count || disconnected.aborted) wake();
    });
  }

  /** Resolves when the run has reported all of these ids, or has been silent for a while. */
  async #caughtUp(ids: readonly string[]): Promise<void> {
    const { signal } = new AbortController();
    const missing = new Set(ids);
    let read = 0;
    do {
      for (; read < this.#log.events.length; read += 1) {
        const event = this.#log.events[read];
        switch (event?.type) {
          case 'approval-request':
            missing.delete(event.approvalId);
            missing.delete(event.toolCallId);
            break;
          case 'client-tool-request':
            missing.delete(event.clientCallId);
            missing.delete(event.toolCallId);
            break;
          case 'tool-end':
          case 'tool-error':
            missing.delete(event.toolCallId);
            break;
          case 'tool-input-end':
            if (event.invalid !== undefined) missing.delete(event.toolCallId);
            break;
          default:
        }
      }
    } while (missing.size > 0 && !this.#log.ended && !(await this.#quietFor(CATCH_UP_MS, read, signal)));
  }

  async *#chunks(
    { after = -1, messageId }: ChatStreamOptions,
    disconnected: AbortSignal,
  ): AsyncGenerator<UIMessageChunk> {
    const translator = createChatTranslator();
    for (let read = 0; !disconnected.aborted;) {
      const event = this.#log.events[read];
      if (event !== undefined) {
        read += 1;
        // events that were read before still change the state of the translator
        const chunks = translator.translate(event);
        if (read - 1 > after) yield* chunks.map((chunk) => renamed(chunk, messageId));
        if (event.type === 'run-end') return this.#over();
        continue;
      }
      const idleState = translator.idleState(this.#answered);
      if (idleState !== 'waiting') {
        if (!(await this.#quietFor(idleState === 'soon' ? SETTLE_MS : undefined, read, disconnected)))
          continue;
      }
      this.#pausedAfter = read - 1;
      return yield* translator.pause();
    }
    yield { type: 'abort' };
  }
}

function renamed(chunk: UIMessageChunk, messageId: string | undefined): UIMessageChunk {
  return chunk.type === 'start' && messageId !== undefined ? { ...chunk, messageId } : chunk;
}
