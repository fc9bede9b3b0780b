import { CuelineError, type EditReply, type RunCommand } from '@cueline/core';
import type { Batch } from './event-channel.ts';

/** A new run, for a store. */
export type NewRun = {
  runId: string;
  /** The subject that owns it. */
  subject: string;
  /** Two starts of one subject with the same key are one run. */
  key?: string | undefined;
  /** The conversation whose latest turn this run is. */
  chat?: string | undefined;
  /** The longest time that it may take, in milliseconds. */
  runMs: number;
  /** How long it is kept after its end, in milliseconds. */
  replayMs: number;
};

/** A run that a store keeps. */
export type StoredRun = {
  /** The subject that owns it. */
  subject: string;
  /** The number of its `run-end`, once it has ended. */
  endSeq?: number | undefined;
};

/**
 * Consecutive events of a run: one or more; `first` is the `seq` of the first of them. Each item is an event as
 * JSON, serialized once: a store keeps these texts and returns them unchanged, and never needs to parse them.
 * `ended` is true if the last of them is `run-end`.
 */
export type EventBatch = Batch<string>;

/** Messages between instances about a run: only the instance that executes it can stop it or respond for it. */
export type RunMessage =
  | { type: 'stop' }
  | { type: 'command'; id: string; command: RunCommand }
  /** Asks whether the executing instance is alive. */
  | { type: 'ping'; id: string }
  | { type: 'reply'; id: string; reply: EditReply };

/** How many messages about a run a store has to keep for late readers; older ones may be forgotten. */
export const KEPT_MESSAGES = 200;
/** How many bytes of them, so that a client with long commands cannot fill the store. The latest one is always kept. */
export const KEPT_MESSAGE_BYTES: number = 4 << 20;

/** The longest time for which a store keeps something, about 70 years: not every store accepts an infinite time. */
export const MAX_EXPIRY_MS: number = 2 ** 41;

/**
 * Stores runs, so that every instance that shares the store can read, stop and answer them. A run is forgotten
 * `replayMs` after its end, or `runMs + replayMs` after its beginning if it never ended. Failures reject.
 */
export type RunLogStore = {
  /**
   * How long a message may take to reach a listener, in milliseconds, if that can be more than a second. The route
   * waits three times this for a reply before it considers an instance gone.
   */
  readonly delayMs?: number;
  /**
   * Makes room for a run, or returns the run that its subject has started with this key before. Rejects if
   * there is no room: the route answers 503.
   */
  create(run: NewRun): Promise<'created' | { runId: string }>;
  /**
   * Removes a run that was created after the route had stopped waiting for it, and refused the start. Its key is then
   * free again. Without this, the next start with the key finds a run that never begins, and gets its end as
   * `interrupted`.
   */
  forget?(runId: string): Promise<void>;
  /** The run that a subject has started with a key, or the latest one of its conversation. */
  find(
    which: { subject: string; key: string } | { subject: string; chat: string },
  ): Promise<string | undefined>;
  /** The run with this id; undefined if it is not known (any more). */
  get(runId: string): Promise<StoredRun | undefined>;
  /**
   * Adds events. Events that it has already, by their number, are ignored, so an attempt that may have
   * succeeded can be repeated. Rejects if the run is not known (any more), and if events are missing before
   * these.
   *
   * Returns 'over' if the log had ended before, so that no event was added: another instance may have assumed
   * that the writing one had crashed, and ended the run. A store that returns nothing then lets the two
   * instances show different ends.
   */
  append(runId: string, events: EventBatch): Promise<'over' | void>;
  /**
   * The events after `afterSeq`, past and future, in batches of any size. Ends after `run-end`, with the
   * signal, and if the run is not known (any more).
   */
  read(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<EventBatch>;
  /**
   * Sends a message to all listeners. It may do nothing once the run has ended, and does nothing for an unknown run.
   */
  send(runId: string, message: RunMessage): Promise<void>;
  /**
   * The messages so far, at least the last {@link KEPT_MESSAGES} or as many of them as fit into 4 MiB, and all
   * later ones, in order. Ends with the signal, and if the run is not known (any more).
   */
  messages(runId: string, signal: AbortSignal): AsyncIterable<RunMessage>;
  /**
   * Returns only later messages: once it resolves, it contains every message that follows. If a store does not
   * have it, a caller that sends a message and waits for the answer reads all messages ever sent.
   */
  listen?(runId: string, signal: AbortSignal): Promise<AsyncIterable<RunMessage>>;
};

/**
 * Returns what `create` has answered.
 * @throws CuelineError `invalid_options` for what is no answer
 */
export function checkCreated(answer: Awaited<ReturnType<RunLogStore['create']>>): typeof answer {
  if (answer === 'created' || typeof fieldsOf(answer)['runId'] === 'string') return answer;
  throw wrongAnswerError('create', answer, "'created', or { runId } of the run that has the key");
}

/**
 * Returns what `find` has answered.
 * @throws CuelineError `invalid_options` for what is no answer
 */
export function checkFound(answer: string | undefined): typeof answer {
  if (answer === undefined || typeof answer === 'string') return answer;
  throw wrongAnswerError('find', answer, 'the id of the run as a string, or undefined if there is none');
}

/**
 * Returns what `get` has answered.
 * @throws CuelineError `invalid_options` for what is no answer
 */
export function checkStored(answer: StoredRun | undefined): typeof answer {
  if (answer === undefined || typeof fieldsOf(answer)['subject'] === 'string') return answer;
  throw wrongAnswerError('get', answer, '{ subject, endSeq } of the run, or undefined if it is not stored');
}

function wrongAnswerError(method: string, answer: unknown, instead: string): CuelineError {
  const what = beginningOf(answer);
  return new CuelineError('invalid_options', `${method} of the store returned ${what}. Return ${instead}.`);
}

/** Returns the fields of an answer. A store in JavaScript may answer with anything. */
function fieldsOf(answer: unknown): Readonly<Record<string, unknown>> {
  return Object(answer) as Readonly<Record<string, unknown>>;
}

/**
 * Returns what `read` of a store yields. A store in JavaScript may have returned a promise of it.
 * @throws CuelineError `invalid_options` for what is no batch, when it comes
 */
export async function readBatches(
  store: Pick<RunLogStore, 'read'>,
  runId: string,
  afterSeq: number,
  signal: AbortSignal,
): Promise<AsyncIterable<EventBatch>> {
  const batches = await opened('read', store.read(runId, afterSeq, signal));
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          if (next.done === true || isBatch(next.value)) return next;
          throw new CuelineError(
            'invalid_options',
            `read of the store yielded ${beginningOf(next.value)}. Yield { first, items, ended } as append got it: the number of the first event, a list of texts, and whether run-end is among them.`,
          );
        },
        // by hand and not as a generator, because a generator queues a return behind a waiting `next`
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/**
 * Resolves with what a method has returned. A store in JavaScript may have returned a promise of it.
 * @throws CuelineError `invalid_options` for what cannot be iterated
 */
export async function opened<Item>(
  method: 'read' | 'messages' | 'listen',
  items: AsyncIterable<Item> | Promise<AsyncIterable<Item>>,
): Promise<AsyncIterable<Item>> {
  const iterable = await items;
  // a caller may ignore the types
  if (typeof (Object(iterable) as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] === 'function')
    return iterable;
  throw wrongAnswerError(method, iterable, 'an async iterable, such as what an async generator returns');
}

function isBatch(batch: unknown): batch is EventBatch {
  const { first, items } = fieldsOf(batch);
  const isList = Array.isArray(items) && items.every((item) => typeof item === 'string');
  return Number.isInteger(first) && isList;
}

/** Returns the beginning of a value's JSON: what a store yields may contain a conversation. */
function beginningOf(value: unknown): string {
  // none for undefined, and for functions
  const json = JSON.stringify(value) as string | undefined;
  return (json ?? typeof value).slice(0, 60);
}
