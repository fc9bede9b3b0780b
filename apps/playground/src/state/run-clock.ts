import type { SharedRun } from '@cueline/react';

/** The clock of a run: `now()` returns the milliseconds since the run started, also between two events of its log. */
export type RunClock = { now(): number };

export type RunClockOptions = {
  /** The time until the first event, in milliseconds; default 0. */
  elapsed?: number;
  /** False while a recording is paused; default: the run is never paused. */
  isPlaying?: () => boolean;
};

/**
 * Creates the clock of a run. It stands still until the next event, which sets it, and so does each event after that.
 * It runs on between events, and stops when the run ends. It does not count from the press of Run: the script starts
 * later.
 */
export function createRunClock(
  run: Pick<SharedRun, 'listen'>,
  { elapsed = 0, isPlaying = () => true }: RunClockOptions = {},
): RunClock {
  let time = elapsed;
  let setAt: number | undefined;
  const unlisten = run.listen(({ type, t }) => {
    const isEnd = type === 'run-end';
    time = t;
    // a recording that is paused emits an event only if it was moved there
    setAt = isEnd || !isPlaying() ? undefined : performance.now();
    if (isEnd) unlisten();
  });
  return { now: () => (setAt === undefined ? time : time + performance.now() - setAt) };
}
