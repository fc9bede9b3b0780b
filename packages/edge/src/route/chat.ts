import { CuelineError, type Executor, type RunEvent, type RunRequest } from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import type { MemoryUser } from '../http/memory-use.ts';
import { parsedBytes } from '../http/read-body.ts';
import { HttpError, isHttpError } from '../http/respond.ts';
import { eventsOf } from '../stores/event-batch.ts';
import { checkTasks } from './check-messages.ts';
import type { ChatPost } from './read-chat-post.ts';
import { checkCommand } from './read-command.ts';
import { earlierTasks } from './runs/earlier-tasks.ts';
import type { StartedRun, ReachedRun } from './runs/runs.ts';

/** A chat's answer: the AI SDK's chunks, and the id of their run. */
export type ChatAnswer = {
  chunks: ReadableStream<unknown>;
  runId: string | undefined;
  /** Called when no client reads the chunks any more. The run continues. */
  leave(): void;
};

/** Why this server refuses a request, if it finds out while the transport reads a run or sends to it. */
type Refused = { reason?: HttpError };

/** How often to retry until no other request of the conversation is in between. */
const MAX_ATTEMPTS = 5;

/**
 * Starts the next turn of a conversation, or sends responses to its run. Stops an earlier turn that still runs, so
 * that of two requests at once the second one continues.
 */
export async function answerChat(
  { chatId, trigger, messageId, start }: ChatPost,
  latest: ReachedRun | undefined,
  { user, commandBytes }: { user: MemoryUser; commandBytes: number },
  begin: (start: RunRequest, after: string | undefined) => Promise<StartedRun>,
): Promise<ChatAnswer> {
  const refused: Refused = {};
  let begun: Promise<ReachedRun> | undefined;
  const { model, options } = start;
  const disconnected = new AbortController();
  const leave = aborting(disconnected);
  const limits = { user, commandBytes, refused };
  const transport = chatTransport(start, latest, disconnected.signal, limits, (request) => {
    begun = (async () => {
      // a run that could not be read may still wait for this request
      if (refused.reason !== undefined) throw refused.reason;
      // the task list is in a message, as the client has it
      const claimed = checkTasks(request.tasks);
      let before = latest;
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        await before?.stop();
        await before?.over();
        const tasks = await earlierTasks(claimed, before, request);
        const run = await begin({ ...request, tasks, model, options, key: undefined }, before?.runId);
        if (run.started) return run;
        before = run;
      }
      throw new HttpError('conflict', 'This conversation has too many turns at once. Try again in a while.');
    })();
    return begun;
  });
  let chunks: ReadableStream<unknown>;
  try {
    chunks = await transport.sendMessages({
      chatId,
      trigger,
      messageId,
      messages: [...(start.messages ?? [])],
      // the run continues without its client
      abortSignal: undefined,
    });
  } catch (error) {
    // the run may go on for long, and nothing reads it here any more
    leave();
    throw refused.reason ?? (isInterrupted(error) ? new HttpError('conflict', error.message) : error);
  }
  try {
    const { runId } = (await begun) ?? latest ?? {};
    return { chunks, runId, leave };
  } catch (error) {
    chunks.cancel().catch(() => {});
    leave();
    throw error;
  }
}

/** Returns the run of a conversation from its beginning, for a client that reconnects. */
export async function resumeChat(
  definition: RunRequest['definition'],
  chatId: string,
  latest: ReachedRun,
  user: MemoryUser,
): Promise<ChatAnswer | null> {
  const disconnected = new AbortController();
  const leave = aborting(disconnected);
  const refused: Refused = {};
  const limits = { user, commandBytes: 0, refused };
  const transport = chatTransport({ definition, input: undefined }, latest, disconnected.signal, limits, () =>
    Promise.reject(new HttpError('internal', 'A client that reattaches cannot start a run.')),
  );
  const chunks = await transport.reconnectToStream({ chatId });
  if (chunks !== null) return { chunks, runId: latest.runId, leave };
  leave();
  // a run that could not be read may have more events
  if (refused.reason !== undefined) throw refused.reason;
  return null;
}

/** Creates the AI SDK transport for a prompt whose runs the route keeps. It lives as long as one request. */
function chatTransport(
  { definition, input }: Pick<RunRequest, 'definition' | 'input'>,
  latest: ReachedRun | undefined,
  disconnected: AbortSignal,
  { user, commandBytes, refused }: { user: MemoryUser; commandBytes: number; refused: Refused },
  begin: (request: RunRequest) => Promise<ReachedRun>,
): PromptTransport<unknown> {
  const unread = (cause: unknown): void => {
    refused.reason = isHttpError(cause)
      ? cause
      : new HttpError('unavailable', UNREADABLE, { retryAfterMs: 1_000 });
  };
  // an earlier run is read as a whole, if there is memory for it; a run that starts here is not ended for lack
  // of memory
  const count = (event: string): void => user.take(parsedBytes(event));
  const note = (event: string): void => user.note(parsedBytes(event));
  const executor: Executor = {
    // the request has this definition's input
    start: (request) => later(begin(request as RunRequest), disconnected, note),
    // the route itself stops the turn before
    attach: (runId, afterSeq, signal) =>
      runId === latest?.runId && !signal.aborted
        ? takeUntilAborted(disconnected, eventsOf(latest.events(afterSeq), count), unread)
        : undefined,
    send(runId, command) {
      if (runId !== latest?.runId) return { accepted: false, reason: 'The run is not in progress.' };
      try {
        checkCommand(command, commandBytes);
      } catch (error) {
        if (isHttpError(error)) refused.reason = error;
        throw error;
      }
      return latest.send(command);
    },
  };
  return new PromptTransport<unknown>(
    // a definition of its own, because the transport remembers the chats of one definition together
    { ...definition },
    {
      executor,
      input,
      runIds: { getItem: () => latest?.runId ?? null, setItem: () => {}, removeItem: () => {} },
    },
  );
}

/** A separate function, so that the closure of an answer does not keep the client's data in memory. */
function aborting(controller: AbortController): () => void {
  return () => controller.abort();
}

async function* later(
  run: Promise<ReachedRun>,
  disconnected: AbortSignal,
  note: (event: string) => void,
): AsyncGenerator<RunEvent, void> {
  yield* takeUntilAborted(disconnected, eventsOf((await run).events(-1), note));
}

const UNREADABLE = 'The events of this run cannot be read at the moment. Try again in a while.';

/**
 * Returns the same events until the client is gone. Hides errors of the store, which clients must not read:
 * `onFailure` is called with them.
 */
function takeUntilAborted(
  disconnected: AbortSignal,
  events: AsyncIterable<RunEvent>,
  onFailure: (cause: unknown) => void = () => {},
): AsyncIterable<RunEvent> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      const leave = (): void => void iterator.return?.();
      if (disconnected.aborted) leave();
      else disconnected.addEventListener('abort', leave, { once: true });
      return {
        async next() {
          try {
            return await iterator.next();
          } catch (cause) {
            if (CuelineError.isInstance(cause)) throw cause;
            onFailure(cause);
            throw new CuelineError('interrupted', UNREADABLE, { cause });
          }
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

function isInterrupted(error: unknown): error is CuelineError {
  return CuelineError.isInstance(error) && error.code === 'interrupted';
}
