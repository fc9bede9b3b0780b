import type { SharedRun } from '@cueline/react';

/** The time of a run, as its log counts it: in milliseconds since the run started. It goes on between two events. */
export type RunClock = { now(): number };

/**
 * A clock that goes from the next event of a run to the end of the run, and stands still before and after. It is set by
 * each event: a run starts later than its button is pressed, and a recording may pause. `elapsed` is the time until the
 * next event.
 */
export function startRunClock(run: Pick<SharedRun, 'listen'>, elapsed = 0): RunClock {
  let time = elapsed;
  let setAt: number | undefined;
  const unlisten = run.listen(({ type, t }) => {
    const isEnd = type === 'run-end';
    time = t;
    setAt = isEnd ? undefined : performance.now();
    if (isEnd) unlisten();
  });
  return { now: () => (setAt === undefined ? time : time + performance.now() - setAt) };
}

/** A clock that stands still, of a run that is not under way. */
export function stoppedClock(elapsed: number): RunClock {
  return { now: () => elapsed };
}
