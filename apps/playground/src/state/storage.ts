import type { PersistStorage, StorageValue } from 'zustand/middleware';

/** How long a change may wait before it is written, in milliseconds; a closing page writes at once. */
const DELAY_MS = 250;

/** The members of `localStorage` that are used here. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export type StorageOptions = {
  /** Called once for the first failure, with a message for the user. */
  onProblem: (message: string) => void;
  /** Throws if the browser blocks storage, as `localStorage` itself does. */
  open?: () => TextStorage;
  delay?: number;
};

/**
 * A zustand storage over `localStorage` that never throws. If storage is blocked or full, the app continues without it
 * and reports this once. Writes are combined, because a script is stored at every keystroke.
 */
export function createStorage<State>(options: StorageOptions): PersistStorage<State> & { flush(): void } {
  const { onProblem, open = () => localStorage, delay = DELAY_MS } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: { name: string; value: StorageValue<State> } | undefined;
  let failed = false;

  function report(): void {
    if (failed) return;
    failed = true;
    onProblem(
      'This browser does not let the page keep anything (storage is full or blocked). Your script stays here until you close the tab; use Share to keep a copy.',
    );
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === undefined) return;
    const { name, value } = waiting;
    waiting = undefined;
    try {
      open().setItem(name, JSON.stringify(value));
    } catch {
      report();
    }
  }

  // changes are stored after a delay, so a closing page has to store them at once
  if ('document' in globalThis) {
    addEventListener('pagehide', flush);
    addEventListener('visibilitychange', flush);
  }

  return {
    getItem(name) {
      try {
        const text = open().getItem(name);
        return text === null ? null : (JSON.parse(text) as StorageValue<State>);
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
  };
}
