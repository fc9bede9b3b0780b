import { anySignal } from '../base/any-signal.ts';

/** The part of the browser's Web Locks that is needed. */
export type TabLocks = {
  request(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    callback: () => Promise<void>,
  ): Promise<unknown>;
  query(): Promise<{ held?: readonly { name?: string }[] }>;
};

/** The lock that the tab holds in which a run is under way. */
export type TabLock = {
  /** True while this tab holds it. */
  readonly isHeld: boolean;
  /** True where another tab holds it. */
  isHeldElsewhere(): Promise<boolean>;
  /**
   * Resolves once this tab holds the lock, with what gives it back; a tab may hold it several times. It is taken away from
   * another tab once `steal` aborts. Rejects where `signal` aborts before.
   */
  take(options?: { signal?: AbortSignal | undefined; steal?: AbortSignal }): Promise<() => void>;
  /** False where another tab has taken it away, which a tab that was frozen may not have heard yet. */
  confirm(): Promise<boolean>;
};

/** The lock with this name. `onStolen` is called where another tab has taken it away. */
export function createTabLock(name: string, locks: TabLocks, onStolen: () => void): TabLock {
  type Hold = { holders: number; letGo: () => void };
  let held: Hold | undefined;
  /** Tells those who wait here that the tab holds it. */
  const waiting = new Set<(hold: Hold) => void>();

  function ask(options: { signal?: AbortSignal; steal?: boolean }): Promise<Hold> {
    return new Promise((resolve, reject) => {
      let mine: Hold | undefined;
      const whileHeld = (): Promise<void> =>
        new Promise((letGo) => {
          held = mine = { holders: 0, letGo };
          for (const hear of waiting) hear(mine);
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
    const patience = anySignal(signal, steal);
    try {
      return await ask(patience === undefined ? {} : { signal: patience });
    } catch (error) {
      if (steal?.aborted !== true || signal?.aborted === true) throw error;
      return ask({ steal: true });
    }
  }

  /** One who waits gets what another one here was given. */
  async function askOnce(signal: AbortSignal | undefined, steal: AbortSignal | undefined): Promise<Hold> {
    const enough = new AbortController();
    let hear = (_hold: Hold): void => {};
    const elsewhere = new Promise<Hold>((resolve) => waiting.add((hear = resolve)));
    const asked = askOrSteal(anySignal(enough.signal, signal), steal);
    asked.catch(() => {});
    try {
      return await Promise.race([asked, elsewhere]);
    } finally {
      waiting.delete(hear);
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
        mine.letGo();
      };
    },
    async confirm() {
      // its answer comes after the news that the lock was taken away
      await locks.query();
      return held !== undefined;
    },
  };
}
