import { CuelineError, failedStart, type EditReply, type RunCommand, type RunEvent } from '@cueline/core';
import { startSuspendSafeTimer, withTimeout } from '../../base/with-timeout.ts';
import { eventsOf } from '../../stores/event-batch.ts';
import {
  opened,
  readBatches,
  type EventBatch,
  type RunLogStore,
  type RunMessage,
} from '../../stores/run-log-store.ts';
import { runEndedReply } from './host-run.ts';
import { singleFlight } from './single-flight.ts';

/** A run of another instance, as the shared store shows it. */
export type RemoteRun = {
  /** Returns the events after `afterSeq`, past and future. If its instance is gone, they end with `interrupted`. */
  events(afterSeq: number): AsyncIterable<EventBatch>;
  send(command: RunCommand): Promise<EditReply>;
  /** Resolves once the run has ended. */
  ended(signal: AbortSignal): Promise<void>;
};

export type RemoteRunOptions = {
  /** How long the run may be silent before its instance is asked for a reply, in milliseconds; default 15,000. */
  quietMs?: number;
  /** How long a reply may take, in milliseconds; default 4,000. */
  replyMs?: number;
  /** How long the store may take to return existing events, in milliseconds; default 2,000. */
  catchUpMs?: number;
  /** Called if its instance is gone, once the log says so. */
  onAbandoned?: () => Promise<void>;
};

const defaults = { quietMs: 15_000, replyMs: 4_000, catchUpMs: 2_000 };

/** Follows a run of another instance, and sends it commands. */
export function followRemoteRun(
  store: RunLogStore,
  runId: string,
  options: RemoteRunOptions = {},
): RemoteRun {
  return new FollowedRun(store, runId, options);
}

/** A run of another instance, as its store shows it. */
class FollowedRun implements RemoteRun {
  readonly #store: RunLogStore;
  readonly #runId: string;
  readonly #options: RemoteRunOptions & typeof defaults;

  constructor(store: RunLogStore, runId: string, options: RemoteRunOptions) {
    this.#store = store;
    this.#runId = runId;
    this.#options = { ...defaults, ...options };
  }

  async ended(signal: AbortSignal): Promise<void> {
    const batches = await this.#read(Number.MAX_SAFE_INTEGER, signal);
    const end = batches[Symbol.asyncIterator]();
    await end.next();
  }

  events(afterSeq: number): AsyncIterable<EventBatch> {
    return untilLeft((signal) => this.#follow(afterSeq, signal));
  }

  async send(command: RunCommand): Promise<EditReply> {
    const reply = await this.#ask(command);
    if (reply !== undefined) return reply;
    if (!(await this.#endIfGone())) {
      return { accepted: false, reason: 'The run took too long to answer. Try again.' };
    }
    return { accepted: false, reason: 'The instance of this run no longer answers. Start it again.' };
  }

  #read(afterSeq: number, signal: AbortSignal): Promise<AsyncIterable<EventBatch>> {
    return readBatches(this.#store, this.#runId, afterSeq, signal);
  }

  /** Returns its instance's reply; undefined if there is none. */
  async #ask(command: RunCommand | undefined): Promise<EditReply | undefined> {
    const id = crypto.randomUUID();
    const over = new AbortController();
    const replyAmong = async (messages: AsyncIterable<RunMessage>): Promise<EditReply> => {
      for await (const message of messages) {
        if (message.type === 'reply' && message.id === id) return message.reply;
      }
      return runEndedReply();
    };
    try {
      // before the message is sent, so that no reply is missed
      const store = this.#store;
      const messages = await (store.listen === undefined
        ? opened('messages', store.messages(this.#runId, over.signal))
        : opened('listen', store.listen(this.#runId, over.signal)));
      const answer = Promise.race([replyAmong(messages), this.ended(over.signal).then(runEndedReply)]);
      // it may fail while nothing waits for it yet
      answer.catch(() => {});
      await store.send(
        this.#runId,
        command === undefined ? { type: 'ping', id } : { type: 'command', id, command },
      );
      return (await isSilentFor(answer, this.#options.replyMs)) ? undefined : await answer;
    } finally {
      over.abort();
    }
  }

  /** Returns true if its instance is gone and its log was ended for that reason. */
  #endIfGone(): Promise<boolean> {
    return singleFlight(this.#store, this.#runId, async () => {
      const gone = await this.#isGone();
      if (gone) await this.#endAbandoned();
      return gone;
    });
  }

  /** Returns true if there is no reply to two messages. */
  async #isGone(): Promise<boolean> {
    return (await this.#ask(undefined)) === undefined && (await this.#ask(undefined)) === undefined;
  }

  /** Returns the last stored event. */
  async #lastWritten(): Promise<RunEvent | undefined> {
    const enough = new AbortController();
    const events = eventsOf(await this.#read(-1, enough.signal))[Symbol.asyncIterator]();
    let last: RunEvent | undefined;
    for (;;) {
      const next = events.next();
      if (await isSilentFor(next, this.#options.catchUpMs)) enough.abort();
      const { done, value } = await next;
      if (done === true) return last;
      last = value;
    }
  }

  async #eventAt(seq: number): Promise<RunEvent | undefined> {
    const enough = new AbortController();
    try {
      const events = eventsOf(await this.#read(seq - 1, enough.signal))[Symbol.asyncIterator]();
      const { value } = await withTimeout(events.next());
      return value as RunEvent | undefined;
    } finally {
      enough.abort();
    }
  }

  /** Ends the log of a run whose instance is gone, because nothing more would ever come. */
  async #endAbandoned(): Promise<void> {
    const error = new CuelineError(
      'interrupted',
      'The instance of this run no longer answers, so the run has ended. Start it again.',
    );
    const last = await this.#lastWritten();
    const events: RunEvent[] =
      last === undefined
        ? [...failedStart('', error)].map((event) =>
            'runId' in event ? { ...event, runId: this.#runId } : event,
          )
        : [{ seq: last.seq + 1, t: last.t, type: 'run-end', outcome: 'error', error: error.toJSON() }];
    // if the instance exists after all, it reads that the run is over
    await this.#store.send(this.#runId, { type: 'stop' });
    await this.#store.append(this.#runId, {
      first: events[0]!.seq,
      items: events.map((event) => JSON.stringify(event)),
      ended: true,
    });
    // if there were more events than could be read in time, or the instance exists after all, another event has this
    // position
    const end = await this.#eventAt(events.at(-1)!.seq);
    if (end?.type === 'run-end') await this.#options.onAbandoned?.();
  }

  async *#follow(afterSeq: number, signal: AbortSignal): AsyncGenerator<EventBatch, void> {
    const batches = await this.#read(afterSeq, signal);
    const events = batches[Symbol.asyncIterator]();
    for (;;) {
      const next = events.next();
      while (!signal.aborted && (await isSilentFor(next, this.#options.quietMs))) {
        await this.#endIfGone();
      }
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  }
}

/** Returns true if the work takes longer than that. */
async function isSilentFor(work: Promise<unknown>, ms: number): Promise<boolean> {
  let stopWaiting = (): void => {};
  const silence = new Promise<true>(
    (resolve) => (stopWaiting = startSuspendSafeTimer(ms, () => resolve(true))),
  );
  // the caller who awaits it gets the failure
  const done = work.then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([done, silence]);
  } finally {
    stopWaiting();
  }
}

/**
 * Iterates with a signal that aborts as soon as the reader leaves, because a generator notices that only after its
 * next item.
 */
function untilLeft<Item>(read: (signal: AbortSignal) => AsyncIterable<Item>): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const disconnected = new AbortController();
      const items = read(disconnected.signal)[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            return await items.next();
          } catch (error) {
            // the reader does not come back, and its source would otherwise be read forever
            disconnected.abort();
            throw error;
          }
        },
        return() {
          disconnected.abort();
          items.return?.().catch(() => {});
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}
