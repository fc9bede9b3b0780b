import { useInspection, type Moment } from '../state/inspection.ts';

/** How long a moment must stay before it is shown, in milliseconds. */
const PAUSE = 100;

/**
 * Reports the moment that is shown. Moments of a single move, of a playing run and the return to the present are
 * reported at once. While the user drags through a run, only the first moment and those that stay are reported. Returns
 * a function that stops the reports.
 */
export function followSettled(settle: (moment: Moment | undefined) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known = useInspection.getState().moment;
  let reported = known;
  settle(known);

  function report(moment: Moment | undefined): void {
    reported = moment;
    settle(moment);
  }

  const unsubscribe = useInspection.subscribe(({ moment, playing }) => {
    if (moment === known) return;
    known = moment;
    const isDragged = timer !== undefined && moment !== undefined && !playing;
    clearTimeout(timer);
    if (!isDragged) report(moment);
    timer = setTimeout(() => {
      timer = undefined;
      if (moment !== reported) report(moment);
    }, PAUSE);
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
