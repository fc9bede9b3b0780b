import { CuelineError, type RunEvent } from '@cueline/core';
import type { DurableStore } from './store.ts';

/** Follows runs in a store. */
export type Watch = {
  /** Lets those who follow a run read at once what was stored here. */
  changed(runId: string): void;
  /** Returns the events after `afterSeq`, past and future; ends after `run-end`, and soon after `leaving` is aborted. */
  follow(runId: string, afterSeq: number, leaving?: AbortSignal): AsyncGenerator<RunEvent>;
};

/** How often the store is asked for what other processes have stored, in milliseconds. */
const POLL_MS = 250;

/** How long a store may be away until its readers give up, and the pauses between their attempts, in milliseconds. */
const MAX_AWAY_MS = 60_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export function createWatch(store: DurableStore): Watch {
  const waiting = new Map<string, Set<() => void>>();

  /** Resolves when the run has changed here, or after a while. */
  function change(runId: string): { happened: Promise<void>; forget(): void } {
    const listeners = waiting.get(runId) ?? new Set();
    waiting.set(runId, listeners);
    let wake = (): void => {};
    const happened = new Promise<void>((resolve) => (wake = resolve));
    const timer = setTimeout(wake, POLL_MS);
    listeners.add(wake);
    return {
      happened,
      forget() {
        clearTimeout(timer);
        listeners.delete(wake);
        if (listeners.size === 0 && waiting.get(runId) === listeners) waiting.delete(runId);
      },
    };
  }

  return {
    changed(runId) {
      for (const wake of waiting.get(runId) ?? []) wake();
    },
    async *follow(runId, afterSeq, leaving) {
      for (let next = afterSeq; ;) {
        if (leaving?.aborted === true) return;
        // before reading, so that nothing is missed in between
        const { happened, forget } = change(runId);
        try {
          const read = await patiently(() => store.read(runId, next));
          if (read === undefined) throw unknownRun(runId);
          // a reader may stop at any event, and nothing here runs then
          if (read.events.length > 0) forget();
          for (const event of read.events) {
            next = event.seq;
            yield event;
            if (event.type === 'run-end') return;
          }
          if (read.events.length === 0 && read.ended) return;
          if (read.events.length === 0) await happened;
        } finally {
          forget();
        }
      }
    },
  };
}

/** Tries again while the store is away, so that those who follow a run do not notice. Rejects after a minute. */
export async function patiently<Value>(ask: () => Promise<Value>): Promise<Value> {
  const begun = performance.now();
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - begun > MAX_AWAY_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function unknownRun(runId: string): CuelineError {
  return new CuelineError('interrupted', `Run ${runId} does not exist, or it is no longer kept.`);
}
