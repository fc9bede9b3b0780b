import type { RunEvent } from '@cueline/core';
import type { RunLogStore } from '../stores/run-log-store.ts';
import { withPatience } from './patience.ts';

/** Writes a run down while it goes on, without holding it up. */
export type StoreWriter = {
  push(event: RunEvent): void;
  /** Once everything up to `run-end` is written; false where the store did not take it. Never rejects. */
  readonly written: Promise<boolean>;
};

const MAX_BATCH = 500;
/** How often it is tried after the run's end before what is left is given up: for about a quarter of a minute. */
const TRIES_AFTER_END = 10;
const LONGEST_PAUSE_MS = 2_000;

/**
 * What cannot be written is tried again, in its order, as long as the run goes on and a while after. `onFailure` is
 * told of the first time that it fails.
 */
export function createStoreWriter(
  store: RunLogStore,
  runId: string,
  onFailure: (error: unknown) => void,
): StoreWriter {
  const queue: RunEvent[] = [];
  let finish: (all: boolean) => void;
  const written = new Promise<boolean>((resolve) => (finish = resolve));
  let writing = false;
  let failed = false;
  let ended = false;

  async function write(): Promise<void> {
    let triesAfterEnd = 0;
    for (let failures = 0; queue.length > 0;) {
      const batch = queue.slice(0, MAX_BATCH);
      try {
        await withPatience(store.append(runId, batch));
        queue.splice(0, batch.length);
        failures = 0;
      } catch (error) {
        if (!failed) onFailure(error);
        failed = true;
        failures += 1;
        if (ended && (triesAfterEnd += 1) > TRIES_AFTER_END) return finish(false);
        await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** failures, LONGEST_PAUSE_MS)));
      }
    }
    writing = false;
    if (ended) finish(true);
  }

  return {
    push(event) {
      queue.push(event);
      if (event.type === 'run-end') ended = true;
      if (writing) return;
      writing = true;
      void write();
    },
    written,
  };
}
