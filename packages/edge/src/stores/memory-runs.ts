import { eachOf } from './event-batch.ts';
import { createEventChannel, type EventChannel } from './event-channel.ts';
import { keptBytes } from './memory-bytes.ts';
import { KEPT_MESSAGES, type NewRun, type RunLogStore, type RunMessage } from './run-log-store.ts';

export type MemoryRunsOptions = {
  /** How many runs are kept. Default 10,000. */
  maxRuns?: number;
  /** How many bytes their events and messages may take. Default 128 MiB. */
  maxBytes?: number;
  /** Milliseconds from any fixed point; default `Date.now`. */
  now?: () => number;
};

type Kept = NewRun & {
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
/** The most bytes of messages of one run: many times what one message may have. */
const MOST_MESSAGE_BYTES = 4 << 20;
/** Timers take no more; expired runs are looked for at every start anyway. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Keeps runs in this process, for development and for a single instance: it does not know the runs of other
 * instances,
 * and nothing outlives the process. Beyond `maxRuns` or `maxBytes`, ended runs are forgotten early, the oldest first;
 * if
 * all of them are under way, no new run begins (a route answers 503).
 */
export function createMemoryRuns({
  maxRuns = 10_000,
  maxBytes = 128 << 20,
  now = Date.now,
}: MemoryRunsOptions = {}): RunLogStore {
  const runs = new Map<string, Kept>();
  /** Of all runs together. */
  let bytes = 0;
  /** Runs by subject and key, and the latest by subject and conversation. */
  const names = new Map<string, string>();

  function get(runId: string): Kept | undefined {
    const run = runs.get(runId);
    if (run === undefined || now() < run.expiresAt) return run;
    forget(run);
    return undefined;
  }

  function forget(run: Kept): void {
    clearTimeout(run.timer);
    if (runs.delete(run.runId)) bytes -= run.bytes;
    for (const name of namesOf(run)) if (names.get(name) === run.runId) names.delete(name);
    run.events.close();
    run.messages.close();
  }

  /** Counts additional bytes of a run, and makes room for them. */
  function count(run: Kept, more: number): void {
    run.bytes += more;
    bytes += more;
    if (bytes > maxBytes) forgetEnded(maxRuns, run);
  }

  /** Forgets ended runs until there is room, but not the one that was just written. */
  function forgetEnded(most: number, except?: Kept): void {
    for (const run of runs.values()) {
      if (runs.size <= most && bytes <= maxBytes) return;
      if (run.events.closed && run !== except) forget(run);
    }
  }

  function makeRoom(): void {
    for (const run of runs.values()) if (now() >= run.expiresAt) forget(run);
    forgetEnded(maxRuns - 1);
    if (runs.size < maxRuns && bytes <= maxBytes) return;
    throw new Error(
      `There is no room for another run: ${runs.size} under way take ${bytes} bytes. Raise maxRuns or maxBytes of createMemoryRuns, or lower limits.concurrent.`,
    );
  }

  function lookUp(name: string): string | undefined {
    const runId = names.get(name);
    return runId === undefined ? undefined : get(runId)?.runId;
  }

  /** A reader must not wait for ever for a run whose instance has crashed. */
  function forgetLater(run: Kept): void {
    clearTimeout(run.timer);
    const ms = Math.min(run.expiresAt - now() + 1, MAX_TIMER_MS);
    // timers may be early, and the longest ones are shortened
    run.timer = setTimeout(() => get(run.runId) !== undefined && forgetLater(run), ms);
    // in Node a timer keeps the process alive, and this one must not
    (run.timer as { unref?: () => void }).unref?.();
  }

  function messagesFrom(run: Kept, from: number, signal: AbortSignal): AsyncIterable<RunMessage> {
    return eachOf(run.messages.read(from, signal), (message) => JSON.parse(message) as RunMessage);
  }

  return {
    async create(run) {
      const known = run.key === undefined ? undefined : lookUp(keyName(run.subject, run.key));
      if (known !== undefined) return { runId: known };
      makeRoom();
      const kept: Kept = {
        ...run,
        events: createEventChannel((event) => event.length),
        messages: createEventChannel(),
        messageBytes: 0,
        bytes: 0,
        expiresAt: now() + run.runMs + run.replayMs,
      };
      runs.set(run.runId, kept);
      count(kept, OVERHEAD);
      forgetLater(kept);
      for (const name of namesOf(run)) names.set(name, run.runId);
      return 'created';
    },
    async find(which) {
      return lookUp('key' in which ? keyName(which.subject, which.key) : chatName(which.subject, which.chat));
    },
    async get(runId) {
      const run = get(runId);
      if (run === undefined) return undefined;
      const { subject, events } = run;
      return { subject, endSeq: events.closed ? events.length - 1 : undefined };
    },
    async append(runId, { first, items, ended }) {
      const run = get(runId);
      if (run === undefined) throw new Error(`Run ${runId} is not known, or no longer.`);
      const { events } = run;
      if (events.closed) return 'over';
      if (first > events.length)
        throw new Error(`Event ${first} of run ${runId} came before ${events.length}.`);
      const fresh = items.slice(events.length - first);
      events.push(fresh);
      if (ended && fresh.length > 0) {
        events.close();
        run.expiresAt = now() + run.replayMs;
        forgetLater(run);
      }
      count(run, bytesOf(fresh));
      return undefined;
    },
    read(runId, afterSeq, signal) {
      const run = get(runId);
      return run === undefined ? none() : run.events.read(afterSeq + 1, signal);
    },
    async tell(runId, message) {
      const run = get(runId);
      // an ended run reads no messages, so they must not accumulate
      if (run === undefined || run.events.closed) return;
      const text = JSON.stringify(message);
      run.messages.push([text]);
      run.messageBytes += keptBytes(text);
      let gone = bytesOf(run.messages.keepLast(KEPT_MESSAGES));
      // the latest one stays, whatever its length
      while (run.messageBytes - gone > MOST_MESSAGE_BYTES && run.messages.kept > 1) {
        gone += bytesOf(run.messages.keepLast(run.messages.kept - 1));
      }
      run.messageBytes -= gone;
      count(run, keptBytes(text) - gone);
    },
    told(runId, signal) {
      const run = get(runId);
      return run === undefined ? none() : messagesFrom(run, 0, signal);
    },
    async listen(runId, signal) {
      const run = get(runId);
      return run === undefined ? none() : messagesFrom(run, run.messages.length, signal);
    },
  };
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
