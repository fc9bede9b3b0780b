import { CuelineError } from '../base/errors.ts';

/** A start that waits for the one before it to end. */
type Waiting = {
  readonly key: string | undefined;
  readonly result: Promise<unknown>;
  go(): void;
  drop(): void;
};

/** Starts that are made one after the other. */
export type StartQueue = {
  readonly length: number;
  /** The result of a start that waits with this key. */
  find(key: string | undefined): Promise<unknown> | undefined;
  /** Adds a start; `signal` takes it out again. */
  add(start: () => Promise<unknown>, key: string | undefined, signal?: AbortSignal): Promise<unknown>;
  /** Makes the next one. */
  next(): void;
  /** Drops all of them: their results reject as `aborted`. */
  clear(): void;
};

/** A queue that tells `onChange` when its length has changed. */
export function createStartQueue(onChange: () => void): StartQueue {
  let waiting: Waiting[] = [];

  return {
    get length() {
      return waiting.length;
    },
    find: (key) => (key === undefined ? undefined : waiting.find((entry) => entry.key === key)?.result),
    add(start, key, signal) {
      let entry: Waiting | undefined;
      const result = new Promise<unknown>((resolve, reject) => {
        const onAbort = (): void => entry?.drop();
        const leave = (): void => {
          signal?.removeEventListener('abort', onAbort);
          waiting = waiting.filter((other) => other !== entry);
          onChange();
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        entry = {
          key,
          get result() {
            return result;
          },
          go() {
            leave();
            resolve(start());
          },
          drop() {
            leave();
            reject(new CuelineError('aborted', 'The start was aborted.'));
          },
        };
        waiting = [...waiting, entry];
      });
      // whoever ignores it need not hear of it
      result.catch(() => {});
      onChange();
      return result;
    },
    next: () => waiting[0]?.go(),
    clear() {
      for (const entry of waiting) entry.drop();
    },
  };
}
