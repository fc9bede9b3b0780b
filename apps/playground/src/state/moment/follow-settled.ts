import { useInspection, type Moment } from '../inspection.ts';
import { afterPause } from './after-pause.ts';

/**
 * Reports the moment that is shown. A single move, each moment of a playing run and the return to the present are
 * reported at once. While the user drags the scrubber, only a moment at which the pointer rests is reported. Of any
 * other quick series of moments, the first and the last are reported. Returns a function that stops the reports.
 */
export function followSettled(settle: (moment: Moment | undefined) => void): () => void {
  let cancelReport: (() => void) | undefined;
  let known = useInspection.getState().moment;
  let reported = known;
  settle(known);

  function report(moment: Moment | undefined): void {
    reported = moment;
    settle(moment);
  }

  const unsubscribe = useInspection.subscribe(({ moment, playing, scrub }) => {
    if (moment === known) return;
    known = moment;
    const isMoving = cancelReport !== undefined || scrub !== undefined;
    cancelReport?.();
    if (!isMoving || playing || moment === undefined) report(moment);
    cancelReport = afterPause(() => {
      cancelReport = undefined;
      if (moment !== reported) report(moment);
    });
  });
  return () => {
    cancelReport?.();
    unsubscribe();
  };
}
