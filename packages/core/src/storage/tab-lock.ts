import { anySignal } from '../base/any-signal.ts';

/** The part of the browser's Web Locks that this file uses. */
export type TabLocks = {
  request(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    callback: () => Promise<void>,
  ): Promise<unknown>;
  query(): Promise<{ held?: readonly { name?: string }[] }>;
};

/** The lock of a run. The tab that works on the run holds it. */
export type TabLock = {
  /** True while this tab holds it. */
  readonly isHeld: boolean;
  /** Returns true if another tab holds the lock. */
  isHeldElsewhere(): Promise<boolean>;
  /**
   * Resolves once this tab holds the lock, with a function that releases it. A tab may hold it several times. Steals
   * the lock from another tab once `steal` aborts. Rejects if `signal` aborts first.
   */
  take(options?: { signal?: AbortSignal | undefined; steal?: AbortSignal }): Promise<() => void>;
  /** Returns false if another tab has stolen the lock. A tab that was frozen may not have received that yet. */
  confirm(): Promise<boolean>;
};

/** Creates the lock with this name. Calls `onStolen` if another tab steals it. */
export function createTabLock(name: string, locks: TabLocks, onStolen: () => void): TabLock {
  type Hold = { holders: number; release: () => void };
  let held: Hold | undefined;
  /** Callbacks of this tab's waiting requests. */
  const waiting = new Set<(hold: Hold) => void>();

  function ask(options: { signal?: AbortSignal; steal?: boolean }): Promise<Hold> {
    return new Promise((resolve, reject) => {
      let mine: Hold | undefined;
      const whileHeld = (): Promise<void> =>
        new Promise((release) => {
          held = mine = { holders: 0, release };
          for (const takeHold of waiting) takeHold(mine);
          resolve(mine);
        });
      locks.request(name, options, whileHeld).catch((error: unknown) => {
        if (mine === undefined) return reject(error);
        if (held !== mine) return;
        held = undefined;
        onStolen();
      });
    });
  }

  async function askOrSteal(signal: AbortSignal | undefined, steal: AbortSignal | undefined): Promise<Hold> {
    const waitSignal = anySignal(signal, steal);
    try {
      return await ask(waitSignal === undefined ? {} : { signal: waitSignal });
    } catch (error) {
      if (steal?.aborted !== true || signal?.aborted === true) throw error;
      return ask({ steal: true });
    }
  }

  /** A waiting request also gets a hold that another request of this tab was given. */
  async function askOnce(signal: AbortSignal | undefined, steal: AbortSignal | undefined): Promise<Hold> {
    const enough = new AbortController();
    let takeHold = (_hold: Hold): void => {};
    const granted = new Promise<Hold>((resolve) => waiting.add((takeHold = resolve)));
    const asked = askOrSteal(anySignal(enough.signal, signal), steal);
    asked.catch(() => {});
    try {
      return await Promise.race([asked, granted]);
    } finally {
      waiting.delete(takeHold);
      enough.abort();
    }
  }

  return {
    get isHeld() {
      return held !== undefined;
    },
    async isHeldElsewhere() {
      if (held !== undefined) return false;
      const { held: all = [] } = await locks.query();
      return held === undefined && all.some((lock) => lock.name === name);
    },
    async take({ signal, steal } = {}) {
      const mine = held ?? (await askOnce(signal, steal));
      mine.holders += 1;
      let isGiven = false;
      return () => {
        if (isGiven) return;
        isGiven = true;
        mine.holders -= 1;
        if (mine.holders > 0 || held !== mine) return;
        held = undefined;
        mine.release();
      };
    },
    async confirm() {
      // the answer arrives after the news that the lock was stolen
      await locks.query();
      return held !== undefined;
    },
  };
}
