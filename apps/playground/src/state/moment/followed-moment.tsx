import {
  createContext,
  startTransition,
  useContext,
  useEffect,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { shallow } from 'zustand/shallow';
import { useInspection, type Inspection, type Moment } from '../inspection.ts';
import { afterPause } from './after-pause.ts';

/** A frame of the screen, in milliseconds. */
const FRAME = 1_000 / 60;
/** A draw that takes longer, in milliseconds, is given up while what the user drags moves. */
const SLOW_DRAW = 2 * FRAME;

type Shown = Pick<Inspection, 'moment' | 'time'>;

const now: Shown = { moment: undefined, time: undefined };
const Followed = createContext(now);

/**
 * The moment that is shown, for the parts of the page that take longer than a frame to draw. The scrubber and the
 * cursor of the timeline show each moment at once; the run and its transcript follow.
 */
export function FollowMoment({ children }: { children: ReactNode }) {
  const isNow = useInspection((state) => state.moment === undefined);
  const drawn = useDrawnMoment();
  // a return to the present does not wait
  return <Followed value={isNow ? now : drawn}>{children}</Followed>;
}

/** The moment that the run and its transcript show; undefined for the present. */
export function useFollowedMoment(): Moment | undefined {
  return useContext(Followed).moment;
}

/** The time of that moment, where the scrubber or the playback chose one; see {@link Inspection}. */
export function useFollowedTime(): number | undefined {
  return useContext(Followed).time;
}

/**
 * The moment that is shown, which may change at every frame. React draws a moment in pieces, between urgent updates,
 * and the next one only after that. It skips moments in between, and always draws the last one. While the user drags,
 * each frame shows what the user drags: after a slow draw, the next one waits until the user holds still. Shorter
 * draws do not wait: the further the moments are apart, the longer a draw takes.
 */
function useDrawnMoment(): Shown {
  const [drawn, draw] = useState(readShown);
  const begun = useRef({ shown: drawn, at: Number.NaN });
  useEffect(() => {
    const took = performance.now() - begun.current.at;
    let isSlow = took > SLOW_DRAW;
    let cancelNext = (): void => {};
    const begin = (shown: Shown): void => {
      begun.current = { shown, at: performance.now() };
      startTransition(() => draw(shown));
    };
    const next = (): void => begin(readShown());
    const follow = (): void => {
      cancelNext();
      const isDragged = useInspection.getState().scrub !== undefined;
      if (begun.current.shown !== drawn) {
        if (!isDragged || performance.now() - begun.current.at <= SLOW_DRAW) return;
        // React drops the draw that is in progress
        begin(drawn);
        isSlow = true;
      }
      if (shallow(readShown(), drawn)) return;
      if (!isDragged || !isSlow) next();
      // after a pause, the user looks at the moment
      else cancelNext = afterPause(next);
    };
    follow();
    const unsubscribe = useInspection.subscribe(follow);
    return () => {
      cancelNext();
      unsubscribe();
    };
  }, [drawn]);
  return drawn;
}

function readShown(): Shown {
  const { moment, time } = useInspection.getState();
  return { moment, time };
}
