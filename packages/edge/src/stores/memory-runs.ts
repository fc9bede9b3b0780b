import { checkNames } from '@cueline/core/server';
import { checkNumbers } from '../base/check-numbers.ts';
import { unrefTimer, startTimer } from '../base/timer.ts';
import { eachOf } from './event-batch.ts';
import { createEventChannel, type EventChannel } from './event-channel.ts';
import { keptBytes } from './memory-bytes.ts';
import {
  KEPT_MESSAGE_BYTES,
  KEPT_MESSAGES,
  type NewRun,
  type RunLogStore,
  type RunMessage,
} from './run-log-store.ts';

/** The options of {@link createMemoryRuns}. */
export type MemoryRunsOptions = {
  /** How many runs are kept. Default 10,000. */
  maxRuns?: number;
  /** How many bytes their events and messages may take. Default 128 MiB. */
  maxBytes?: number;
  /** Milliseconds from any fixed point; default `Date.now`. */
  now?: () => number;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof MemoryRunsOptions, true> = { maxBytes: true, maxRuns: true, now: true };

type RunEntry = NewRun & {
  /** As JSON. */
  events: EventChannel<string>;
  messages: EventChannel<string>;
  messageBytes: number;
  /** Of events and messages. */
  bytes: number;
  expiresAt: number;
  timer?: ReturnType<typeof setTimeout>;
};

/** About what a run costs besides its events. */
const OVERHEAD = 2_048;

/**
 * Keeps runs in this process, for development and for a single instance: it does not know the runs of other
 * instances, and nothing outlives the process. Beyond `maxRuns` or `maxBytes`, ended runs are forgotten early,
 * the oldest first; if all of them are in progress, no new run begins (a route answers 503).
 * @throws CuelineError `invalid_options` for an unknown option, or a limit that is not a number of at least 1
 */
export function createMemoryRuns(options: MemoryRunsOptions = {}): RunLogStore {
  checkNames('createMemoryRuns', options, Object.keys(optionNames), 'invalid_options');
  checkNumbers('createMemoryRuns', { maxRuns: options.maxRuns, maxBytes: options.maxBytes });
  const table = new RunTable(options);
  return {
    async create(run) {
      const known = run.key === undefined ? undefined : table.lookUp(keyName(run.subject, run.key));
      if (known !== undefined) return { runId: known };
      table.makeRoom();
      const kept: RunEntry = {
        ...run,
        events: createEventChannel((event) => event.length),
        messages: createEventChannel(),
        messageBytes: 0,
        bytes: 0,
        expiresAt: table.now() + run.runMs + run.replayMs,
      };
      table.runs.set(run.runId, kept);
      table.count(kept, OVERHEAD);
      table.forgetLater(kept);
      for (const name of namesOf(run)) table.names.set(name, run.runId);
      return 'created';
    },
    async forget(runId) {
      table.forget(runId);
    },
    async find(which) {
      return table.lookUp(
        'key' in which ? keyName(which.subject, which.key) : chatName(which.subject, which.chat),
      );
    },
    async get(runId) {
      const run = table.get(runId);
      if (run === undefined) return undefined;
      const { subject, events } = run;
      return { subject, endSeq: events.closed ? events.length - 1 : undefined };
    },
    async append(runId, { first, items, ended }) {
      const run = table.get(runId);
      if (run === undefined) throw new Error(`Run ${runId} does not exist, or it is no longer stored.`);
      const { events } = run;
      if (events.closed) return 'over';
      if (first > events.length)
        throw new Error(
          `Event ${first} of run ${runId} cannot be stored: event ${events.length} comes next.`,
        );
      const fresh = items.slice(events.length - first);
      events.push(fresh);
      if (ended && fresh.length > 0) {
        events.close();
        run.expiresAt = table.now() + run.replayMs;
        table.forgetLater(run);
      }
      table.count(run, bytesOf(fresh));
      return undefined;
    },
    read(runId, afterSeq, signal) {
      const run = table.get(runId);
      return run === undefined ? none() : run.events.read(afterSeq + 1, signal);
    },
    async send(runId, message) {
      const run = table.get(runId);
      // an ended run reads no messages, so they must not accumulate
      if (run === undefined || run.events.closed) return;
      const text = JSON.stringify(message);
      run.messages.push([text]);
      run.messageBytes += keptBytes(text);
      let gone = bytesOf(run.messages.keepLast(KEPT_MESSAGES));
      // the latest one stays, whatever its length
      while (run.messageBytes - gone > KEPT_MESSAGE_BYTES && run.messages.kept > 1) {
        gone += bytesOf(run.messages.keepLast(run.messages.kept - 1));
      }
      run.messageBytes -= gone;
      table.count(run, keptBytes(text) - gone);
    },
    messages(runId, signal) {
      const run = table.get(runId);
      return run === undefined ? none() : table.messagesFrom(run, 0, signal);
    },
    async listen(runId, signal) {
      const run = table.get(runId);
      return run === undefined ? none() : table.messagesFrom(run, run.messages.length, signal);
    },
  };
}

/** All runs of the store, within its limits. */
class RunTable {
  readonly #maxRuns: NonNullable<MemoryRunsOptions['maxRuns']>;
  readonly #maxBytes: NonNullable<MemoryRunsOptions['maxBytes']>;
  readonly now: NonNullable<MemoryRunsOptions['now']>;
  readonly runs = new Map<string, RunEntry>();
  /** Of all runs together. */
  #bytes = 0;
  /** Runs by subject and key, and the latest by subject and conversation. */
  readonly names = new Map<string, string>();

  constructor({ maxRuns = 10_000, maxBytes = 128 << 20, now = Date.now }: MemoryRunsOptions = {}) {
    this.#maxRuns = maxRuns;
    this.#maxBytes = maxBytes;
    this.now = now;
  }

  get(runId: string): RunEntry | undefined {
    const run = this.runs.get(runId);
    if (run === undefined || this.now() < run.expiresAt) return run;
    this.#forget(run);
    return undefined;
  }

  forget(runId: string): void {
    const run = this.runs.get(runId);
    if (run !== undefined) this.#forget(run);
  }

  /** Counts additional bytes of a run, and makes room for them. */
  count(run: RunEntry, more: number): void {
    run.bytes += more;
    this.#bytes += more;
    if (this.#bytes > this.#maxBytes) this.#forgetEnded(this.#maxRuns, run);
  }

  makeRoom(): void {
    for (const run of this.runs.values()) if (this.now() >= run.expiresAt) this.#forget(run);
    this.#forgetEnded(this.#maxRuns - 1);
    if (this.runs.size < this.#maxRuns && this.#bytes <= this.#maxBytes) return;
    throw new Error(
      `There is no room for another run: ${this.runs.size} runs in progress take ${this.#bytes} bytes. Raise maxRuns or maxBytes of createMemoryRuns, or lower limits.concurrent.`,
    );
  }

  lookUp(name: string): string | undefined {
    const runId = this.names.get(name);
    return runId === undefined ? undefined : this.get(runId)?.runId;
  }

  /** A reader must not wait forever for a run whose instance has crashed. */
  forgetLater(run: RunEntry): void {
    clearTimeout(run.timer);
    const forget = (): void => {
      // timers may be early, and the longest ones are shortened
      if (this.get(run.runId) !== undefined) this.forgetLater(run);
    };
    run.timer = unrefTimer(startTimer(forget, run.expiresAt - this.now() + 1));
  }

  messagesFrom(run: RunEntry, from: number, signal: AbortSignal): AsyncIterable<RunMessage> {
    return eachOf(run.messages.read(from, signal), (message) => JSON.parse(message) as RunMessage);
  }

  #forget(run: RunEntry): void {
    clearTimeout(run.timer);
    if (this.runs.delete(run.runId)) this.#bytes -= run.bytes;
    for (const name of namesOf(run)) if (this.names.get(name) === run.runId) this.names.delete(name);
    run.events.close();
    run.messages.close();
  }

  /** Forgets ended runs until there is room, but not the one that was just written. */
  #forgetEnded(most: number, except?: RunEntry): void {
    for (const run of this.runs.values()) {
      if (this.runs.size <= most && this.#bytes <= this.#maxBytes) return;
      if (run.events.closed && run !== except) this.#forget(run);
    }
  }
}

function bytesOf(texts: readonly string[]): number {
  let sum = 0;
  for (const text of texts) sum += keptBytes(text);
  return sum;
}

async function* none(): AsyncGenerator<never, void> {}

function namesOf({ subject, key, chat }: NewRun): string[] {
  return [
    ...(key === undefined ? [] : [keyName(subject, key)]),
    ...(chat === undefined ? [] : [chatName(subject, chat)]),
  ];
}

function keyName(subject: string, key: string): string {
  return JSON.stringify(['key', subject, key]);
}

function chatName(subject: string, chat: string): string {
  return JSON.stringify(['chat', subject, chat]);
}
