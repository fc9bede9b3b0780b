import type { RunEvent, RunStorage } from '@cueline/core';
import { vi } from 'vitest';

/** One tab of a browser that has a lock manager, channels between its tabs, and one storage for all of them. */
export type Tab = {
  /** The browser's storage, as long as the tab is there. */
  readonly storage: RunStorage;
  /** Has what is called use this tab's locks and channels. */
  use(): void;
  /** Closes the tab: its locks are released, and nothing that it sends is delivered. */
  kill(): void;
  /** Until it is thawed, it neither sends nor receives anything; it keeps its locks. */
  freeze(): void;
  thaw(): void;
  readonly isDead: boolean;
};

type Waiter = { tab: object; name: string; grant: () => void };
type Holder = { tab: object; name: string; end: () => void; steal: () => void };

/** A browser with one storage, whose runs all tabs share. */
export function createBrowser(scope: string) {
  const logs = new Map<string, RunEvent[]>();
  let holders: Holder[] = [];
  let waiters: Waiter[] = [];
  const channels = new Set<{ name: string; tab: object; hear(data: unknown): void }>();

  function grantNext(name: string): void {
    if (holders.some((holder) => holder.name === name)) return;
    const next = waiters.find((waiter) => waiter.name === name);
    waiters = waiters.filter((waiter) => waiter !== next);
    next?.grant();
  }

  function openTab(): Tab {
    const tab = {};
    let isDead = false;
    let isFrozen = false;
    let missed: (() => void)[] = [];
    /** Does something for the tab, later where it is frozen, and never where it is dead. */
    const inTab = (work: () => void): void => {
      if (isDead) return;
      if (isFrozen) missed.push(work);
      else queueMicrotask(() => (isDead ? undefined : work()));
    };
    const locks = {
      request(
        name: string,
        { signal, steal }: { signal?: AbortSignal; steal?: boolean },
        callback: () => Promise<void>,
      ): Promise<unknown> {
        return new Promise((resolve, reject) => {
          const grant = (): void => {
            const holder: Holder = {
              tab,
              name,
              end() {
                holders = holders.filter((other) => other !== holder);
                grantNext(name);
              },
              steal() {
                holders = holders.filter((other) => other !== holder);
                inTab(() => reject(new DOMException('stolen', 'AbortError')));
              },
            };
            holders.push(holder);
            inTab(() => {
              void (async () => {
                await callback();
                holder.end();
                resolve(undefined);
              })();
            });
          };
          if (signal?.aborted === true) return reject(signal.reason as Error);
          if (steal === true) {
            for (const holder of holders.filter((each) => each.name === name)) holder.steal();
            return grant();
          }
          const waiter = { tab, name, grant };
          waiters.push(waiter);
          signal?.addEventListener('abort', () => {
            if (!waiters.includes(waiter)) return;
            waiters = waiters.filter((other) => other !== waiter);
            inTab(() => reject(signal.reason as Error));
          });
          grantNext(name);
        });
      },
      query: () =>
        new Promise<{ held: { name: string }[] }>((resolve) => {
          const held = holders.map(({ name }) => ({ name }));
          inTab(() => resolve({ held }));
        }),
    };
    class Channel {
      readonly #own = { name: '', tab, hear: (_data: unknown): void => {} };
      constructor(name: string) {
        this.#own.name = name;
        channels.add(this.#own);
      }
      addEventListener(_type: 'message', listener: (event: { data: unknown }) => void): void {
        this.#own.hear = (data) => inTab(() => listener({ data }));
      }
      close(): void {
        channels.delete(this.#own);
      }
      postMessage(data: unknown): void {
        if (isDead || isFrozen) return;
        const copy: unknown = structuredClone(data);
        for (const each of channels) if (each !== this.#own && each.name === this.#own.name) each.hear(copy);
      }
    }
    const storage: RunStorage = {
      scope,
      load: async (id) => (isDead ? new Promise(() => {}) : structuredClone(logs.get(id))),
      async append(id, events) {
        if (isDead || isFrozen) return new Promise(() => {});
        const stored = (logs.get(id) ?? []).slice(0, events[0]?.seq);
        logs.set(id, [...stored, ...structuredClone([...events])]);
        await Promise.resolve();
      },
      remove: async (id) => void logs.delete(id),
    };
    return {
      storage,
      get isDead() {
        return isDead;
      },
      use() {
        vi.stubGlobal('navigator', { locks });
        vi.stubGlobal('BroadcastChannel', Channel);
      },
      kill() {
        isDead = true;
        waiters = waiters.filter((waiter) => waiter.tab !== tab);
        for (const channel of channels) if (channel.tab === tab) channels.delete(channel);
        for (const holder of holders.filter((each) => each.tab === tab)) holder.end();
      },
      freeze() {
        isFrozen = true;
      },
      thaw() {
        isFrozen = false;
        const late = missed;
        missed = [];
        for (const work of late) inTab(work);
      },
    };
  }

  return { logs, openTab, holders: () => holders.length };
}
