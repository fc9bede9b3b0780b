import { unrefTimer } from '../base/timer.ts';
import { HttpError } from '../http/respond.ts';

/** One streamed response. */
export type StreamSlot = {
  /** Its run, as soon as that is known. */
  runId?: string | undefined;
  /** Called with true while a client waits for more of it, during which it does not lapse. */
  waits(isWaiting: boolean): void;
  /** Ends it. Does nothing the second time. */
  leave(): void;
  /** Reports why it breaks off. */
  failed(error: unknown): void;
};

/** What is called while a client reads a response. */
export type StreamReader = Pick<StreamSlot, 'waits' | 'leave' | 'failed'>;

export type StreamLimits = {
  /** Of one subject at the same time. */
  streams: number;
  /** Of one run at the same time. */
  streamsPerRun: number;
  /** After this time, in milliseconds, a response that no client has read or cancelled counts as ended. */
  leaseMs: number;
  /** Called if a response breaks off, because the store cannot be read for example. */
  report(event: { type: 'failed'; error: unknown; runId?: string }): void;
};

/** The streamed responses of this process. */
export type Streams = {
  /** Throws an {@link HttpError} with 429 if the subject or the run has too many. */
  enter(subject: string, runId?: string): StreamSlot;
};

/** Creates a count without responses. */
export function createStreams({ streams, streamsPerRun, leaseMs, report }: StreamLimits): Streams {
  const open = new Map<string, Set<StreamSlot & { until: number }>>();

  function slotsOf(subject: string, at: number): Set<StreamSlot & { until: number }> {
    const slots = open.get(subject) ?? new Set();
    for (const slot of slots) if (slot.until <= at) slots.delete(slot);
    return slots;
  }

  return {
    enter(subject, runId) {
      const at = performance.now();
      const slots = slotsOf(subject, at);
      if (slots.size >= streams) throw tooManyStreamsError(`You are already reading ${streams} answers`);
      const ofRun = [...slots].filter((slot) => slot.runId === runId).length;
      if (runId !== undefined && ofRun >= streamsPerRun)
        throw tooManyStreamsError(`You are already reading this run ${streamsPerRun} times`);
      const slot: StreamSlot & { until: number } = {
        runId,
        until: at + leaseMs,
        waits(isWaiting: boolean) {
          slot.until = isWaiting ? Infinity : performance.now() + leaseMs;
        },
        leave() {
          slots.delete(slot);
          if (slots.size === 0 && open.get(subject) === slots) open.delete(subject);
        },
        failed(error) {
          report({ type: 'failed', error, ...(slot.runId === undefined ? {} : { runId: slot.runId }) });
        },
      };
      open.set(subject, slots.add(slot));
      return slot;
    },
  };
}

/**
 * How long a client may leave a response unread, in milliseconds. Its items refer to the whole run, so a client that
 * reads nothing must not keep them forever.
 */
const STALL_MS = 60_000;

/**
 * Returns the same items, for one reader. It leaves once no client reads any more, or has read nothing for `stallMs`
 * (default one minute), and the items are dropped.
 */
export function whileRead<Item>(
  items: AsyncIterable<Item>,
  { waits, leave, failed }: StreamReader,
  stallMs: number = STALL_MS,
): AsyncIterable<Item> {
  /** Dropped at the end. Nothing else here may refer to the items. */
  let source: AsyncIterator<Item> | undefined = items[Symbol.asyncIterator]();
  let unreadSince: number | undefined = performance.now();

  /** Returns what to end. */
  function drop(): AsyncIterator<Item> | undefined {
    const dropped = source;
    clearInterval(timer);
    source = undefined;
    leave();
    return dropped;
  }

  const timer = setInterval(() => {
    if (unreadSince === undefined || performance.now() - unreadSince < stallMs) return;
    drop()
      ?.return?.()
      .catch(() => {});
  }, stallMs / 4);
  unrefTimer(timer);
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (source === undefined)
          throw new Error('The client did not read the answer for too long. Reattach to continue.');
        unreadSince = undefined;
        waits(true);
        try {
          const next = await source.next();
          if (next.done === true) drop();
          return next;
        } catch (error) {
          drop();
          failed(error);
          throw error;
        } finally {
          unreadSince = performance.now();
          waits(false);
        }
      },
      async return() {
        return (await drop()?.return?.()) ?? { done: true, value: undefined };
      },
    }),
  };
}

function tooManyStreamsError(what: string): HttpError {
  return new HttpError('too_many_at_once', `${what} at once. Close one, or wait until one has ended.`, {
    retryAfterMs: 1_000,
  });
}
