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
import { useInspection, type Inspection, type Moment } from './inspection.ts';

/** A draw that takes longer delays what the user drags, in milliseconds. */
const LONG_DRAW = 2 * (1_000 / 60);
/** How many times as long as such a draw the page waits before the next one, while what the user drags moves. */
const REST = 10;
/** After a draw that took longer, in milliseconds, the page draws only while what the user drags does not move. */
const SLOW_DRAW = 200;
/** When nothing has moved for this time, in milliseconds, the user looks at the moment: its draw does not wait. */
const PAUSE = 200;

type Shown = Pick<Inspection, 'moment' | 'time'>;

const now: Shown = { moment: undefined, time: undefined };
const Followed = createContext(now);

/**
 * The moment that is shown, for the parts of the page that take longer than a frame to draw. The scrubber and the cursor
 * of the timeline show each moment at once; the run, its transcript and the rows of the timeline follow.
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
 * The moment that is shown, which may change at every frame. React draws a moment in pieces, between urgent updates, and
 * the next one only after that. It skips moments in between, and always draws the last one. While the user drags, a long
 * draw is followed by a rest, in which each frame shows what the user drags. The rest ends when the user holds still; on a
 * computer that is not slow, it also ends by itself.
 */
function useDrawnMoment(): Shown {
  const [drawn, draw] = useState(readShown);
  const begun = useRef({ shown: drawn, at: Number.NaN });
  useEffect(() => {
    const end = performance.now();
    const took = end - begun.current.at;
    const rests = took > SLOW_DRAW ? Infinity : REST * took;
    const restsUntil = took > LONG_DRAW ? end + rests : 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (): void => {
      const shown = readShown();
      begun.current = { shown, at: performance.now() };
      startTransition(() => draw(shown));
    };
    const follow = (): void => {
      clearTimeout(timer);
      const isUnderWay = begun.current.shown !== drawn;
      if (isUnderWay || shallow(readShown(), drawn)) return;
      const rest = restsUntil - performance.now();
      if (useInspection.getState().scrub === undefined || rest <= 0) next();
      else timer = setTimeout(next, Math.min(rest, PAUSE));
    };
    follow();
    const unsubscribe = useInspection.subscribe(follow);
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [drawn]);
  return drawn;
}

function readShown(): Shown {
  const { moment, time } = useInspection.getState();
  return { moment, time };
}
