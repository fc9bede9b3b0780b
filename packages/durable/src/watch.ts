import { CuelineError, type RunEvent } from '@cueline/core';
import type { DurableStore } from './store.ts';
import { withTimeout } from './with-timeout.ts';

/** Follows runs in a store. */
export type Watch = {
  /** Makes the readers of a run read at once what this process has stored. */
  changed(runId: string): void;
  /** Yields the stored events after `afterSeq`, then new ones. Ends after `run-end`, or soon after `leaving` aborts. */
  follow(runId: string, afterSeq: number, leaving?: AbortSignal): AsyncGenerator<RunEvent>;
};

/** How often a reader looks for events of other processes, in milliseconds. */
const POLL_MS = 250;

/** How long one read waits for the store, in milliseconds. */
const READ_TIMEOUT_MS = 10_000;

/** How long readers try again while the store is unavailable, and the pauses between attempts, in milliseconds. */
const MAX_OUTAGE_MS = 60_000;
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

export function createWatch(store: DurableStore): Watch {
  const waiting = new Map<string, Set<() => void>>();

  /** Waits until this process stores events of the run, at most for the time between two polls. */
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
        // before reading, so that no change is missed in between
        const { happened, forget } = change(runId);
        try {
          const read = await retryWhileUnavailable(() =>
            withTimeout(store.read(runId, next), READ_TIMEOUT_MS),
          );
          if (read === undefined) throw unknownRunError(runId);
          // before yielding, because a reader may leave and never resume this generator
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

/** Tries again while the store is unavailable, so that readers do not notice short outages. Rejects after a minute. */
export async function retryWhileUnavailable<Value>(ask: () => Promise<Value>): Promise<Value> {
  const begun = performance.now();
  for (let pause = MIN_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - begun > MAX_OUTAGE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function unknownRunError(runId: string): CuelineError {
  return new CuelineError('interrupted', `Run ${runId} does not exist, or it is no longer stored.`);
}
