import type { RunEvent } from '../log/events.ts';

/** Keeps the logs of runs by key, so that an evaluation repeats only the runs that have changed. */
export type EvalStore = {
  /** Returns the log that `set` was given with this key; undefined if there is none. */
  get(key: string): Promise<readonly RunEvent[] | undefined>;
  set(key: string, log: readonly RunEvent[]): Promise<void>;
};

/** Returns a store in memory, for a process or a page that runs an evaluation several times. */
export function memoryEvalStore(): EvalStore {
  const logs = new Map<string, readonly RunEvent[]>();
  return {
    get: (key) => Promise.resolve(logs.get(key)),
    set(key, log) {
      logs.set(key, log);
      return Promise.resolve();
    },
  };
}
