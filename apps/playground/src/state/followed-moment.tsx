import {
  createContext,
  startTransition,
  useContext,
  useEffect,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { useShallow } from 'zustand/react/shallow';
import { useInspection, type Inspection, type Moment } from './inspection.ts';

/** A draw that takes longer delays what the user drags, in milliseconds. */
const LONG_DRAW = 2 * (1_000 / 60);
/** How many times as long as such a draw the page waits before the next one, while what the user drags moves. */
const REST = 4;
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
  const shown = useInspection(useShallow(({ moment, time }): Shown => ({ moment, time })));
  const isDragged = useInspection((state) => state.scrub !== undefined);
  const drawn = useOneByOne(shown, isDragged);
  // a return to the present does not wait
  return <Followed value={shown.moment === undefined ? now : drawn}>{children}</Followed>;
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
 * A value that changes at every frame. React draws a new value in pieces, between urgent updates, and the next one only
 * after that. It skips values in between, and always draws the last one. While the user drags, a long draw is followed by
 * a rest, in which each frame shows what the user drags. The rest ends early when the user holds still.
 */
function useOneByOne<Value>(value: Value, isDragged: boolean): Value {
  const [drawn, draw] = useState(value);
  const begun = useRef({ value, at: Number.NaN });
  const restsUntil = useRef(0);
  useEffect(() => {
    const end = performance.now();
    const took = end - begun.current.at;
    restsUntil.current = took > LONG_DRAW ? end + REST * took : 0;
  }, [drawn]);
  useEffect(() => {
    const isUnderWay = begun.current.value !== drawn;
    if (isUnderWay || value === drawn) return undefined;
    const next = (): void => {
      begun.current = { value, at: performance.now() };
      startTransition(() => draw(value));
    };
    const rest = restsUntil.current - performance.now();
    if (!isDragged || rest <= 0) {
      next();
      return undefined;
    }
    const timer = setTimeout(next, Math.min(rest, PAUSE));
    return () => clearTimeout(timer);
  }, [value, drawn, isDragged]);
  return drawn;
}
