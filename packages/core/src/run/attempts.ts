import { CuelineError } from '../base/errors.ts';
import { isPending } from '../log/pending.ts';
import type { RunFields } from '../log/state.ts';
import type { Attempt } from './attempt.ts';
import { refused, stopped } from './refused.ts';
import type { WhenBusy } from './run.ts';
import { createStartQueue } from './start-queue.ts';

/** The key of a start, what it does if the run is busy, and the signal that aborts it. */
export type StartRequest = {
  key?: string | undefined;
  whenBusy?: WhenBusy | undefined;
  signal?: AbortSignal | undefined;
};

/** Pending approvals and client tool calls. */
export type Pending = Pick<RunFields, 'approvals' | 'clientToolCalls'>;

/** The starts of one run: the one that is shown, those in the background, and those that wait. */
export type Attempts = {
  readonly shown: Attempt | undefined;
  /** The number of starts that wait. */
  readonly queued: number;
  /** What the starts in the background wait for. */
  readonly pending: Pending;
  /** The start whose approval or client tool call has this id: one in the background, else the one that is shown. */
  ownerOf(id: string): Attempt | undefined;
  /** Returns the result of a start with this key that is shown, in progress, or waiting. */
  find(key: string | undefined): Promise<unknown> | undefined;
  /** Makes a start now, or does what `whenBusy` says. */
  request(start: () => Promise<unknown>, request: StartRequest): Promise<unknown>;
  /** Shows this attempt from now on. */
  show(attempt: Attempt): void;
  /** Ends the shown attempt before the next starts, so that listeners get the two one after the other. */
  replace(): void;
  /** Ends all of them, or all but the shown one. */
  stop(exceptShown?: boolean): void;
  /**
   * Stops following the shown one. The start that waits for its end begins at once, because the end is not reported.
   */
  detach(): void;
};

/**
 * Creates the list of a run's starts. Calls `onQueue` when the number of waiting starts changes. `follow`
 * attaches to a detached start, or ends it if its work is no longer known.
 */
export function createAttempts(onQueue: () => void, follow: (attempt: Attempt) => unknown): Attempts {
  const queue = createStartQueue(onQueue);
  const background = new Set<Attempt>();
  let shown: Attempt | undefined;

  /**
   * Moves the shown attempt to the background. It is followed there, even if it was detached, because its
   * promise settles with its end and its approvals can be answered.
   */
  function detachShown(): void {
    if (shown === undefined || shown.log.ended) return;
    background.add(shown);
    follow(shown);
  }

  function replace(): void {
    queue.clear();
    shown?.stop(true);
    shown?.drop();
  }

  return {
    get shown() {
      return shown;
    },
    get queued() {
      return queue.length;
    },
    get pending() {
      const states = [...background].map(({ log }) => log.getState());
      return {
        approvals: states.flatMap(({ approvals }) => approvals.filter(isPending)),
        clientToolCalls: states.flatMap(({ clientToolCalls }) => clientToolCalls.filter(isPending)),
      };
    },
    ownerOf: (id) =>
      [...background].find(({ log }) => {
        const { approvals, clientToolCalls } = log.getState();
        return (
          approvals.some(({ approvalId }) => approvalId === id) ||
          clientToolCalls.some(({ clientCallId }) => clientCallId === id)
        );
      }) ?? shown,
    find(key) {
      if (key === undefined) return undefined;
      const attempt = [shown, ...background].find((made) => made?.key === key);
      return attempt?.result ?? queue.find(key);
    },
    request(start, { key, whenBusy = 'replace', signal }) {
      if (signal?.aborted) return stopped();
      // the run is busy between an end and the start that waited for it, too
      if (shown?.log.ended !== false && queue.length === 0) {
        shown?.drop();
        return start();
      }
      if (whenBusy === 'queue') {
        // the end of a detached attempt is not reported
        if (queue.length > 0 || !shown?.detached) return queue.add(start, key, signal);
      } else if (whenBusy === 'parallel') detachShown();
      else if (whenBusy === 'replace') replace();
      else {
        // 'reject', or a word that does not exist
        return refused(
          new CuelineError('busy', "The run is in progress. Set whenBusy: 'queue', 'replace' or 'parallel'."),
        );
      }
      return start();
    },
    show(attempt) {
      // a detached attempt, or one that a listener has started meanwhile, can still be stopped
      detachShown();
      shown = attempt;
      const whenEnded = (): void => {
        background.delete(attempt);
        if (attempt === shown) queue.next();
      };
      void attempt.result.then(whenEnded, whenEnded);
    },
    replace,
    stop(exceptShown) {
      queue.clear();
      for (const attempt of background) attempt.stop();
      if (!exceptShown) shown?.stop();
    },
    detach() {
      shown?.detach();
      queue.next();
    },
  };
}
