import { CuelineError } from '../base/errors.ts';
import { isOpenRequest } from '../log/reduce.ts';
import type { RequestState } from '../log/state.ts';
import type { Attempt } from './attempt.ts';
import type { WhenBusy } from './run.ts';
import { createStartQueue } from './start-queue.ts';

/** When a start is made, and what takes it back. */
export type StartRequest = {
  key?: string | undefined;
  whenBusy?: WhenBusy | undefined;
  signal?: AbortSignal | undefined;
};

/** The starts of one run: the one that is shown, those that go on out of sight, and those that wait. */
export type Attempts = {
  readonly shown: Attempt | undefined;
  /** How many wait. */
  readonly queued: number;
  /** The open requests of the starts that are out of sight. */
  readonly requests: readonly RequestState[];
  /** The start that made this request: one that is out of sight, else the one that is shown. */
  ownerOf(requestId: string): Attempt | undefined;
  /** The result of a start that was made with this key and is shown, under way, or waits. */
  find(key: string | undefined): Promise<unknown> | undefined;
  /** Makes a start now, or does with it what `whenBusy` says. */
  request(start: () => Promise<unknown>, entrance: StartRequest): Promise<unknown>;
  /** From here on this one is shown. */
  show(attempt: Attempt): void;
  /** Ends what is shown before the next begins, so that whoever listens gets the two one after the other. */
  replace(): void;
  /** Ends all of them. */
  stop(): void;
};

/**
 * Keeps the starts of a run. `onQueue` is called when the number of waiting starts changes. `follow` watches a start that
 * was detached, or ends it where its work is no longer known.
 */
export function createAttempts(onQueue: () => void, follow: (attempt: Attempt) => unknown): Attempts {
  const queue = createStartQueue(onQueue);
  const background = new Set<Attempt>();
  let shown: Attempt | undefined;

  /** Its end settles its promise, and what it asks can be answered: so it is followed, also where it was let go of. */
  function detachShown(): void {
    if (shown === undefined || shown.log.ended) return;
    background.add(shown);
    follow(shown);
  }

  function replace(): void {
    queue.clear();
    shown?.replace();
    shown?.drop();
  }

  return {
    get shown() {
      return shown;
    },
    get queued() {
      return queue.length;
    },
    get requests() {
      return [...background].flatMap(({ log }) => log.getState().requests.filter(isOpenRequest));
    },
    ownerOf: (requestId) =>
      [...background].find(({ log }) =>
        log.getState().requests.some((requests) => requests.requestId === requestId),
      ) ?? shown,
    find(key) {
      if (key === undefined) return undefined;
      const attempt = [shown, ...background].find((made) => made?.key === key);
      return attempt?.result ?? queue.find(key);
    },
    request(start, { key, whenBusy, signal }) {
      if (signal?.aborted === true) {
        return refused(new CuelineError('aborted', 'The start was aborted.'));
      }
      // between an end and the start that waited for it, the run is busy too
      if (shown?.log.ended !== false && queue.length === 0) {
        shown?.drop();
        return start();
      }
      switch (whenBusy) {
        case 'queue':
          // the end of what was let go of is not heard
          if (shown?.detached === true && queue.length === 0) return start();
          return queue.add(start, key, signal);
        case 'reject':
          return refused(
            new CuelineError(
              'busy',
              "The run is under way. Wait for its end, or set whenBusy to 'queue', 'replace' or 'parallel'.",
            ),
          );
        case 'parallel':
          detachShown();
          return start();
        default:
          replace();
          return start();
      }
    },
    show(attempt) {
      // one that was let go of, or that a listener has started meanwhile, can still be stopped
      detachShown();
      shown = attempt;
      const whenEnded = (): void => {
        background.delete(attempt);
        if (attempt === shown) queue.next();
      };
      void attempt.result.then(whenEnded, whenEnded);
    },
    replace,
    stop() {
      queue.clear();
      for (const attempt of background) attempt.stop();
      shown?.stop();
    },
  };
}

/** A promise that rejects; whoever ignores it need not hear of it. */
export function refused(why: unknown): Promise<never> {
  const promise = Promise.reject<never>(why);
  promise.catch(() => {});
  return promise;
}
