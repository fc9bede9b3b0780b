import type { EventWriter, StoredLog, TabbedRun } from '../storage/event-writer.ts';
import type { CuelineError } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import type { RunEvent } from '../log/events.ts';
import type { StartRequest } from './attempts.ts';
import type { RunStorage } from '../storage/run-storage.ts';
import { createStartQueue } from './start-queue.ts';
import type * as Store from '../storage/store-events.ts';

/** Reads what the storage has of a run, and queues actions until that is known. */
export type Restoring = {
  /** Resolves once the stored log is known; never rejects. The first call reads the storage. */
  restored(): Promise<void>;
  /** Runs an action once the stored log is known, or now. `key` and `signal` are those of a start. */
  when(move: () => Promise<unknown>, entrance?: Pick<StartRequest, 'key' | 'signal'>): Promise<unknown>;
  /** The number of actions that wait. */
  readonly moves: number;
  /** Drops the waiting actions, and calls `end` once the stored log is known. */
  stop(end: () => void): void;
};

type RestoringOptions = {
  id: string;
  storage: RunStorage | undefined;
  /** A log to use if none is stored. */
  past: readonly RunEvent[];
  takeUp: (events: readonly RunEvent[], isStored: boolean) => void;
  /** The run, for other tabs. */
  run: TabbedRun;
  /** Called with the writer, before the first event. */
  onWriter: (writer: EventWriter) => void;
  onError: (error: CuelineError | undefined) => void;
  onChange: () => void;
};

export function createRestoring(options: RestoringOptions): Restoring {
  const { id, storage, past, takeUp, run, onWriter, onError, onChange } = options;
  let isKnown = storage === undefined;
  // once it is known, the actions run at once, and subscribers do not see the states in between
  const waiting = createStartQueue(() => {
    if (!isKnown) onChange();
  });
  let known: Promise<void> | undefined;
  let stop: (() => void) | undefined;

  async function begin(): Promise<void> {
    if (storage === undefined) return takeUp(past, false);
    let stored: StoredLog = { events: [] };
    let writer: EventWriter | undefined;
    try {
      const { openEventWriter, readStored } = await loadStore();
      onWriter((writer = await openEventWriter(storage, id, onError, run)));
      stored = await readStored(storage, id);
      if (stored.damage !== undefined) onError(stored.damage);
    } catch (error) {
      // these throw only CuelineErrors
      onError(error as CuelineError);
    }
    isKnown = true;
    const { events, damage } = stored;
    // a log that continues behind its damage is stored again from its beginning
    if (events.length > 0) takeUp(events, damage === undefined);
    else takeUp(past, false);
    writer?.ready();
    stop?.();
    while (waiting.length > 0) waiting.next();
    onChange();
  }

  function restored(): Promise<void> {
    if (known !== undefined) return known;
    // set before the work starts, because a listener may call `start` while the log is taken up
    let settle = (): void => {};
    known = new Promise((resolve) => (settle = resolve));
    void begin().then(settle);
    return known;
  }

  return {
    restored,
    when(move, { key, signal } = {}) {
      void restored();
      return isKnown ? move() : (waiting.find(key) ?? waiting.add(move, key, signal));
    },
    get moves() {
      return waiting.length;
    },
    stop(end) {
      waiting.clear();
      if (isKnown) end();
      else stop = end;
    },
  };
}

/** Loads the code of storages. A page that stores no runs does not load it. */
function loadStore(): Promise<typeof Store> {
  return loadModule('storage', import('../storage/store-events.ts'), 'storage_failed');
}
