import type { PersistStorage, StorageValue } from 'zustand/middleware';
import { isSameJson } from '../input/same-json.ts';
import { newId } from './new-id.ts';

/** How long a change may wait before it is written, in milliseconds; a closing page writes at once. */
const DELAY_MS = 250;

/**
 * For how long another tab may still read, and so replace, what was stored before a write, in milliseconds. A browser
 * passes a change to the other tabs within some milliseconds, but not at once.
 */
const SPREAD_MS = 2_000;
/** How many writes a stored state names. */
const MAX_WRITES = 20;

/** The members of `localStorage` that are used here. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * A second copy of what is written. Browsers write `localStorage` to the disk up to a minute late, so a crash of the
 * browser sets it back. Both methods reject if the copy cannot be used.
 */
export type TextMirror = {
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
};

export type StorageOptions<State> = {
  /** Called once for the first failure, with a message for the user. */
  onProblem: (message: string) => void;
  /** Throws if the browser blocks storage, as `localStorage` itself does. */
  open?: () => TextStorage;
  delay?: number;
  /**
   * Returns what to store if another tab may have stored `theirs` since this one last had `base`. Without it, the last
   * tab that writes wins.
   */
  merge?: (base: State, mine: State, theirs: unknown) => State;
  /** A copy of what is shared, which is taken if the browser has lost the last writes. */
  mirror?: TextMirror;
};

/** A zustand storage. {@link createStorage} makes it. */
export type BatchedStorage<State> = PersistStorage<State> & {
  /** Writes at once what waits to be written. */
  flush(): void;
  /**
   * Begins to merge with the other tabs. `base` is the state as this tab has read it. `follow` is called with the
   * merged state whenever another tab has stored something, and may put parts of it into this tab's state.
   */
  share(name: string, base: State, follow: (stored: State) => void): void;
};

/**
 * A zustand storage over `localStorage` that never throws. If storage is blocked or full, the app continues without it
 * and reports this once. Writes are combined, because a script is stored at every keystroke.
 */
export function createStorage<State>(options: StorageOptions<State>): BatchedStorage<State> {
  const { onProblem, open = () => localStorage, delay = DELAY_MS, merge, mirror } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: { name: string; value: StorageValue<State> } | undefined;
  let shared: { name: string; base: State; follow: (stored: State) => void } | undefined;
  /** The writes of this tab that others may not have seen yet, each with this tab's state before it. */
  let recent: { id: string; at: number; base: State }[] = [];
  let failed = false;

  function report(): void {
    if (failed) return;
    failed = true;
    onProblem(
      'This browser does not let the page keep anything (storage is full or blocked). Your script stays here until you close the tab; use Share to keep a copy.',
    );
  }

  /** Takes the value that waits to be written. */
  function takeWaiting(): typeof waiting {
    clearTimeout(timer);
    timer = undefined;
    const taken = waiting;
    waiting = undefined;
    return taken;
  }

  function flush(): void {
    if (shared !== undefined && merge !== undefined) return sync();
    const taken = takeWaiting();
    if (taken === undefined) return;
    try {
      open().setItem(taken.name, JSON.stringify(taken.value));
    } catch {
      report();
    }
  }

  /** Writes what this tab has changed into what is stored now, and follows what the other tabs have changed. */
  function sync(): void {
    if (shared === undefined || merge === undefined) return;
    const { name, base, follow } = shared;
    const taken = takeWaiting();
    const mine = taken === undefined ? base : toJson(taken.value.state);
    let merged: State;
    try {
      const text = open().getItem(name);
      if (text === null && taken === undefined) return;
      const { state: theirs, writes } = parse(text);
      const now = Date.now();
      recent = recent.filter(({ at }) => now - at < SPREAD_MS);
      // a tab that had not seen these writes has replaced them, which does not undo them
      const unseen = recent.filter(({ id }) => !writes.includes(id));
      merged = theirs === undefined ? mine : merge(unseen[0]?.base ?? base, mine, theirs);
      if (!isSameJson(merged, theirs)) {
        const write = { id: newId(), at: now, base };
        const ids = [...writes, ...[...unseen, write].map(({ id }) => id)].slice(-MAX_WRITES);
        const version = taken?.value.version ?? 1;
        const written = JSON.stringify({ state: merged, version, writes: ids, at: now });
        open().setItem(name, written);
        mirror?.write(name, written).catch(() => {});
        recent.push(write);
      }
    } catch {
      return report();
    }
    shared.base = mine;
    if (isSameJson(merged, mine)) return;
    follow(merged);
    // what came from the storage need not be written there again
    const followed = takeWaiting();
    if (followed !== undefined) shared.base = toJson(followed.value.state);
  }

  /** Takes the last writes from the mirror, if the browser has lost them in a crash. */
  async function restore(name: string): Promise<void> {
    const copy = await mirror?.read(name);
    if (copy === undefined) return;
    const stored = parse(open().getItem(name));
    const { writes, at } = parse(copy);
    if (at <= stored.at || stored.writes.includes(writes.at(-1))) return;
    open().setItem(name, copy);
    sync();
  }

  // changes are stored after a delay, so a closing page has to store them at once
  if ('document' in globalThis) {
    addEventListener('pagehide', flush);
    addEventListener('visibilitychange', flush);
    addEventListener('storage', ({ key }) => {
      if (key === shared?.name) sync();
    });
  }

  return {
    getItem(name) {
      try {
        const text = open().getItem(name);
        if (text === null) return null;
        // without its version: a state of a newer page is read as far as its shape is valid, and not ignored
        const { state } = JSON.parse(text) as StorageValue<State>;
        return { state };
      } catch (error) {
        // Text that is not JSON is ignored; only a storage that cannot be read is reported.
        if (!(error instanceof SyntaxError)) report();
        return null;
      }
    },
    setItem(name, value) {
      waiting = { name, value };
      timer ??= setTimeout(flush, delay);
    },
    removeItem(name) {
      waiting = undefined;
      try {
        open().removeItem(name);
      } catch {
        report();
      }
    },
    flush,
    share(name, base, follow) {
      shared = { name, base: toJson(base), follow };
      // a storage that cannot be used is reported when it is read or written
      restore(name).catch(() => {});
    },
  };
}

/** What a tab keeps over a reload for the Script and the Prompts view each: `read` checks nothing. */
export function createViewMemory(key: string): {
  read(view: 'script' | 'prompts'): unknown;
  /** Undefined removes what is stored. */
  write(view: 'script' | 'prompts', state: unknown): void;
} {
  const keys = { script: key, prompts: `${key}:prompts` };
  // the store of the script, which also writes at every keystroke, reports a full storage
  const open = () => createStorage<unknown>({ onProblem: () => {}, open: () => sessionStorage });
  // each writes its last value only
  const storages = { script: open(), prompts: open() };
  return {
    read(view) {
      if (!('sessionStorage' in globalThis)) return undefined;
      return (storages[view].getItem(keys[view]) as { state?: unknown } | null)?.state;
    },
    write(view, state) {
      if (state === undefined) storages[view].removeItem(keys[view]);
      else void storages[view].setItem(keys[view], { state, version: 1 });
    },
  };
}

/** Returns the value as JSON stores it. */
function toJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/**
 * Reads the stored state (undefined if the text is not JSON), the ids of its last writes, and the time of the last
 * one in milliseconds since 1970. The time is 0 if nothing is stored. Older versions of the page stored no time: such
 * a text counts as newer than any mirror, with the time `Infinity`.
 */
function parse(text: string | null): { state?: unknown; writes: readonly unknown[]; at: number } {
  try {
    const { state, writes, at = Infinity } = JSON.parse(text ?? '{"at":0}') as Record<string, unknown>;
    return { state, writes: Array.isArray(writes) ? writes : [], at: Number(at) };
  } catch {
    return { writes: [], at: 0 };
  }
}
