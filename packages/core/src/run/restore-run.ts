import type { CuelineError } from '../base/errors.ts';
import { loadPart } from '../base/load-part.ts';
import type { RunEvent } from '../log/events.ts';
import type { StartRequest } from './attempts.ts';
import type { RunStorage } from '../storage/run-storage.ts';
import { createStartQueue } from './start-queue.ts';
import type * as Store from '../storage/store-events.ts';
import type { TabbedRun } from '../storage/tabs.ts';

/** How a run comes to know what the storage has of it, and what waits until it does. */
export type Restoring = {
  /** Resolves once it is known; never rejects. The first who asks has it looked up. */
  restored(): Promise<void>;
  /** Makes a move once it is known: now, where it is. `key` and `signal` are those of a start. */
  when(move: () => Promise<unknown>, entrance?: Pick<StartRequest, 'key' | 'signal'>): Promise<unknown>;
  /** How many moves wait. */
  readonly moves: number;
  /** Takes back the moves that wait, and has `end` called once it is known what there is to end. */
  stop(end: () => void): void;
};

type RestoringOptions = {
  id: string;
  storage: RunStorage | undefined;
  /** A log that counts where nothing is stored. */
  past: readonly RunEvent[] | undefined;
  takeUp: (events: readonly RunEvent[], isStored: boolean) => void;
  /** What other tabs make of the run. */
  run: TabbedRun;
  /** Told what to store events with, before any comes. */
  onWriter: (writer: Store.EventWriter) => void;
  onError: (error: CuelineError | undefined) => void;
  onChange: () => void;
};

export function createRestoring(options: RestoringOptions): Restoring {
  const { id, storage, past = [], takeUp, run, onWriter, onError, onChange } = options;
  let isKnown = storage === undefined;
  // once it is known, the moves are made in one breath, and nobody sees what is in between
  const waiting = createStartQueue(() => {
    if (!isKnown) onChange();
  });
  let known: Promise<void> | undefined;
  let stop: (() => void) | undefined;

  async function begin(): Promise<void> {
    if (storage === undefined) return takeUp(past, false);
    let stored: Store.StoredLog = { events: [] };
    let writer: Store.EventWriter | undefined;
    try {
      const { openEventWriter, readStored } = await loadStore();
      onWriter((writer = await openEventWriter(storage, id, onError, run)));
      stored = await readStored(storage, id);
      if (stored.damage !== undefined) onError(stored.damage);
    } catch (error) {
      // only errors of ours come out of these
      onError(error as CuelineError);
    }
    isKnown = true;
    const { events, damage } = stored;
    // a log that goes on behind its damage is stored anew, from its beginning
    if (events.length > 0) takeUp(events, damage === undefined);
    else takeUp(past, false);
    writer?.ready();
    stop?.();
    while (waiting.length > 0) waiting.next();
    onChange();
  }

  function restored(): Promise<void> {
    if (known !== undefined) return known;
    // known before it has begun: what is taken up may be heard by somebody who makes a move
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

/** Loads what keeps runs. A page whose runs are kept nowhere does not pay for it. */
function loadStore(): Promise<typeof Store> {
  return loadPart('storage', import('../storage/store-events.ts'), 'storage_failed');
}
