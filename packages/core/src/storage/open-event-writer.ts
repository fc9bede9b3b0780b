import type { CuelineError } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import { BatchWriter } from './batch-writer.ts';
import type { EventWriter, TabbedRun } from './event-writer.ts';
import { readStored } from './read-stored.ts';
import type { RunStorage } from './run-storage.ts';
import type { TabWriter } from './tab-writer.ts';

/**
 * Creates a writer for the run `id` that other tabs of the browser can see, if the storage has a `scope` and the
 * browser supports it. Calls `onError` as {@link BatchWriter} does.
 */
export async function openEventWriter(
  storage: RunStorage,
  id: string,
  onError: (error: CuelineError | undefined) => void,
  run: TabbedRun,
): Promise<EventWriter> {
  let tab: TabWriter | undefined;
  const report = (error: CuelineError | undefined): void => {
    // the other tab stores the same run
    if (error?.details?.['reason'] !== 'other_tab' || tab?.mayBeStoredElsewhere !== true) onError(error);
  };
  const writer = new BatchWriter(storage, id, report, () => tab?.mayStore());
  const { scope } = storage;
  const { navigator, BroadcastChannel } = globalThis as {
    navigator?: { locks?: unknown };
    BroadcastChannel?: unknown;
  };
  if (scope === undefined || !navigator?.locks || BroadcastChannel === undefined) return writer;
  const { openTabWriter } = await loadModule('tabs', import('./tab-writer.ts'));
  // a frame without an origin has locks that it may not use
  tab = await openTabWriter({ id, scope, writer, run, readStored: () => readStored(storage, id) }).catch(
    () => undefined,
  );
  return tab ?? writer;
}
