import type { RunEvent } from '@cueline/core';
import { createFeed, type Feed } from './feed.ts';
import type { NewRun, RunLogStore, RunMessage } from './run-log-store.ts';

export type MemoryRunsOptions = {
  /** How many runs are kept; beyond that, those are forgotten first that ended first. Default 1,000. */
  maxRuns?: number;
  /** How many characters of JSON their events are together, beyond which the same happens. Default 256 Mi. */
  maxLength?: number;
  /** Milliseconds from any fixed point; default `Date.now`. */
  now?: () => number;
};

type Kept = NewRun & {
  events: Feed<RunEvent>;
  messages: Feed<RunMessage>;
  /** Of its events, as JSON. */
  length: number;
  expiresAt: number;
  timer?: ReturnType<typeof setTimeout>;
};

/** Timers take no more, and what is forgotten is looked for at every start anyway. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Keeps runs in this process, for development and for a single instance: what another one has begun is not known here,
 * and nothing outlives the process.
 */
export function createMemoryRuns({
  maxRuns = 1_000,
  maxLength = 256 << 20,
  now = Date.now,
}: MemoryRunsOptions = {}): RunLogStore {
  const runs = new Map<string, Kept>();
  /** Of all their events. */
  let total = 0;
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
    if (runs.delete(run.runId)) total -= run.length;
    for (const name of namesOf(run)) if (names.get(name) === run.runId) names.delete(name);
    run.events.close();
    run.messages.close();
  }

  function makeRoom(): void {
    for (const run of runs.values()) if (now() >= run.expiresAt) forget(run);
    for (const run of runs.values()) {
      if (runs.size < maxRuns && total <= maxLength) return;
      if (run.events.closed) forget(run);
    }
  }

  function lookUp(name: string): string | undefined {
    const runId = names.get(name);
    return runId === undefined ? undefined : get(runId)?.runId;
  }

  /** Whoever reads a run whose instance has gone must not wait for ever. */
  function forgetLater(run: Kept): void {
    clearTimeout(run.timer);
    const ms = Math.min(run.expiresAt - now() + 1, MAX_TIMER_MS);
    // timers may be early, and the longest ones are cut short
    run.timer = setTimeout(() => get(run.runId) !== undefined && forgetLater(run), ms);
    // in Node a timer keeps the process alive, which this one is not worth
    (run.timer as { unref?: () => void }).unref?.();
  }

  return {
    async create(run) {
      makeRoom();
      const known = run.key === undefined ? undefined : lookUp(keyName(run.subject, run.key));
      if (known !== undefined) return { runId: known };
      const expiresAt = now() + run.runMs + run.replayMs;
      const kept: Kept = { ...run, events: createFeed(), messages: createFeed(), length: 0, expiresAt };
      runs.set(run.runId, kept);
      forgetLater(kept);
      for (const name of namesOf(run)) names.set(name, run.runId);
      return 'created';
    },
    async find(which) {
      return lookUp('key' in which ? keyName(which.subject, which.key) : chatName(which.subject, which.chat));
    },
    async append(runId, events) {
      const run = get(runId);
      if (run === undefined) throw new Error(`Run ${runId} is not known, or no longer.`);
      if (run.events.closed) return 'over';
      for (const event of events) {
        const { length } = run.events.items;
        if (event.seq < length || run.events.closed) continue;
        if (event.seq > length) throw new Error(`Event ${event.seq} of run ${runId} came before ${length}.`);
        run.events.push(event);
        const size = JSON.stringify(event).length;
        run.length += size;
        total += size;
        if (event.type !== 'run-end') continue;
        run.events.close();
        run.expiresAt = now() + run.replayMs;
        forgetLater(run);
      }
      return undefined;
    },
    read(runId, afterSeq, signal) {
      const run = get(runId);
      return run === undefined ? none() : run.events.read(afterSeq + 1, signal);
    },
    async subjectOf(runId) {
      return get(runId)?.subject;
    },
    async tell(runId, message) {
      const run = get(runId);
      // a run that has ended hears nothing, and what is told to it must not pile up
      if (run?.events.closed === false) run.messages.push(message);
    },
    told(runId, signal) {
      const run = get(runId);
      return run === undefined ? none() : run.messages.read(0, signal);
    },
    async listen(runId, signal) {
      const run = get(runId);
      return run === undefined ? none() : run.messages.read(run.messages.items.length, signal);
    },
  };
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
