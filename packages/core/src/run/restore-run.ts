import type { CuelineError } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import { isEarlierLog, type RunEvent } from '../log/events.ts';
import type { TabbedRun } from '../storage/event-writer.ts';
import type { RunStorage } from '../storage/run-storage.ts';
import type { StartRequest } from './attempts.ts';
import { continueLog } from './open-attempt.ts';
import type * as OpenStorage from './open-storage.ts';
import type { OpenedLog } from './open-storage.ts';
import type { RunInternals } from './run-internals.ts';
import { notify, requesting } from './run-state.ts';
import { createStartQueue } from './start-queue.ts';

/** Reads what the storage has of a run, and queues actions until that is known. */
export type Restoring = {
  /** Resolves once the stored log is known; never rejects. The first call reads the storage. */
  restored(): Promise<void>;
  /** Runs an action once the stored log is known, or now. `key` and `signal` are those of a start. */
  whenRestored(
    action: () => Promise<unknown>,
    start?: Pick<StartRequest, 'key' | 'signal'>,
  ): Promise<unknown>;
  /** Drops the waiting actions, and calls `end` once the stored log is known. */
  stop(end: () => void): void;
};

type StoredRun = {
  id: string;
  storage: RunStorage | undefined;
} & Pick<TabbedRun, 'retry' | 'stop'>;

/**
 * Restores `run` from its storage, or else from a log of the past. Nothing is read before something asks for the run.
 */
export function createRestoring(run: RunInternals, past: readonly RunEvent[], stored: StoredRun): Restoring {
  const { storage } = stored;
  let isKnown = storage === undefined && !isEarlierLog(past);
  const waiting = createStartQueue(() => {
    // once it is known, the actions run at once, and subscribers do not see the states in between
    if (isKnown) return;
    run.starting = waiting.length > 0 ? requesting : undefined;
    notify(run);
  });
  let known: Promise<void> | undefined;
  let stop: (() => void) | undefined;

  function onError(error: CuelineError | undefined): void {
    run.storageError = error;
    notify(run);
  }

  /** Shows a log that grows in another tab. */
  function show(events: readonly RunEvent[]): void {
    run.lastInput = undefined;
    continueLog(run, events, true);
  }

  async function restore(): Promise<void> {
    if (isKnown) return continueLog(run, past, false);
    let log: OpenedLog = { events: past, isStored: false };
    try {
      const { openStorage, upgradeLog } = await loadStorage();
      log = { events: upgradeLog(past), isStored: false };
      if (storage) log = (await openStorage(run, { ...stored, storage, onError, show })) ?? log;
    } catch (error) {
      // both throw only CuelineErrors
      onError(error as CuelineError);
    }
    isKnown = true;
    continueLog(run, log.events, log.isStored);
    run.writer?.ready();
    run.starting = undefined;
    stop?.();
    while (waiting.length > 0) waiting.next();
    notify(run);
  }

  function restored(): Promise<void> {
    if (known !== undefined) return known;
    // set before the work starts, because a listener may call `start` while the log is continued
    let settle = (): void => {};
    known = new Promise((resolve) => (settle = resolve));
    void restore().then(settle);
    return known;
  }

  return {
    restored,
    whenRestored(action, { key, signal } = {}) {
      void restored();
      return isKnown ? action() : (waiting.find(key) ?? waiting.add(action, key, signal));
    },
    stop(end) {
      waiting.clear();
      if (isKnown) end();
      else stop = end;
    },
  };
}

/** Loads the code of storages and of earlier logs. A page that has neither does not load it. */
function loadStorage(): Promise<typeof OpenStorage> {
  return loadModule('storage', import('./open-storage.ts'), 'storage_failed');
}
