import type { RunEvent } from '@cueline/core';
import type { RunLogStore } from '../stores/run-log-store.ts';
import { withPatience } from './patience.ts';

/** Writes a run down while it goes on, without holding it up. */
export type StoreWriter = {
  push(event: RunEvent): void;
  /** Once everything up to `run-end` is written; false where the store did not take it. Never rejects. */
  readonly written: Promise<boolean>;
};

export type StoreWriterOptions = {
  store: RunLogStore;
  runId: string;
  /** Called with each event once it is written, in their order; or not, where the store is away. */
  show(event: RunEvent): void;
  /** Told of the first time that it fails. */
  onFailure(error: unknown): void;
};

const MAX_BATCH = 500;
/** How often it is tried after the run's end before what is left is given up: for about a quarter of a minute. */
const TRIES_AFTER_END = 10;
const LONGEST_PAUSE_MS = 2_000;
/** How long it is waited for a store before what is not written is shown nevertheless, in milliseconds. */
const SLOW_MS = 1_000;

/**
 * What cannot be written is tried again, in its order, as long as the run goes on and a while after. What is shown is
 * written down before, so that another instance has all of it should this one go away. Only a store that fails or takes
 * its time is not waited for.
 */
export function createStoreWriter({ store, runId, show, onFailure }: StoreWriterOptions): StoreWriter {
  const queue: RunEvent[] = [];
  /** How many of the queue are shown already. */
  let shown = 0;
  let finish: (all: boolean) => void;
  const written = new Promise<boolean>((resolve) => (finish = resolve));
  let writing = false;
  let failed = false;
  let ended = false;
  /** True while the store is away. */
  let away = false;

  function showTo(count: number): void {
    for (const event of queue.slice(shown, count)) show(event);
    shown = Math.max(shown, count);
  }

  function goOnWithout(): void {
    away = true;
    showTo(queue.length);
  }

  async function write(): Promise<void> {
    let triesAfterEnd = 0;
    for (let failures = 0; queue.length > 0;) {
      const batch = queue.slice(0, MAX_BATCH);
      const slow = setTimeout(goOnWithout, SLOW_MS);
      try {
        await withPatience(store.append(runId, batch));
        showTo(batch.length);
        queue.splice(0, batch.length);
        shown -= batch.length;
        away = false;
        failures = 0;
      } catch (error) {
        if (!failed) onFailure(error);
        failed = true;
        failures += 1;
        goOnWithout();
        if (ended && (triesAfterEnd += 1) > TRIES_AFTER_END) return finish(false);
        await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** failures, LONGEST_PAUSE_MS)));
      } finally {
        clearTimeout(slow);
      }
    }
    writing = false;
    if (ended) finish(true);
  }

  return {
    push(event) {
      queue.push(event);
      if (event.type === 'run-end') ended = true;
      if (away) showTo(queue.length);
      if (writing) return;
      writing = true;
      void write();
    },
    written,
  };
}
