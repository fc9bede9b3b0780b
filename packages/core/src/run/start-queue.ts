import { ignorable, stopped } from './refused.ts';

/** A start that waits for the end of the one before it. */
type Waiting = {
  readonly key: string | undefined;
  readonly result: Promise<unknown>;
  go(): void;
  drop(): void;
};

/** Starts that run one after the other. */
export type StartQueue = {
  readonly length: number;
  /** Returns the result of a waiting start with this key. */
  find(key: string | undefined): Promise<unknown> | undefined;
  /** Adds a start. Aborting `signal` removes it. */
  add(start: () => Promise<unknown>, key: string | undefined, signal?: AbortSignal): Promise<unknown>;
  /** Runs the next start. */
  next(): void;
  /** Drops all starts. Their results reject as `aborted`. */
  clear(): void;
};

/** Creates a queue that calls `onChange` when its length changes. */
export function createStartQueue(onChange: () => void): StartQueue {
  let waiting: Waiting[] = [];

  return {
    get length() {
      return waiting.length;
    },
    find: (key) => waiting.find((entry) => key !== undefined && entry.key === key)?.result,
    add(start, key, signal) {
      let settle: (result: Promise<unknown>) => void = () => {};
      const result = ignorable(new Promise<unknown>((resolve) => (settle = resolve)));
      const leave = (): void => {
        signal?.removeEventListener('abort', drop);
        waiting = waiting.filter((other) => other !== entry);
        onChange();
      };
      const drop = (): void => {
        leave();
        settle(stopped());
      };
      const go = (): void => {
        leave();
        settle(start());
      };
      const entry: Waiting = { key, result, go, drop };
      signal?.addEventListener('abort', drop, { once: true });
      waiting = [...waiting, entry];
      onChange();
      return result;
    },
    next: () => waiting[0]?.go(),
    clear() {
      for (const entry of waiting) entry.drop();
    },
  };
}
