import { useInspection, type Moment } from '../state/inspection.ts';

/** How long a moment must stay before it is shown, in milliseconds. */
const PAUSE = 100;

/**
 * Tells of the moment that is shown. While one moment follows the other, as the user drags through a run, it tells only
 * of the one that stays; of a single move, a run that plays, and the way back to now it tells at once. Returns a function
 * that ends it.
 */
export function followSettled(settle: (moment: Moment | undefined) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known = useInspection.getState().moment;
  settle(known);
  const unsubscribe = useInspection.subscribe(({ moment, playing }) => {
    if (moment === known) return;
    known = moment;
    const isDragged = timer !== undefined && moment !== undefined && !playing;
    clearTimeout(timer);
    if (!isDragged) settle(moment);
    timer = setTimeout(() => {
      timer = undefined;
      settle(moment);
    }, PAUSE);
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
