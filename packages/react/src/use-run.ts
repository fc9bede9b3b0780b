import type { PromptTypes, RunState } from '@cueline/core';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { subscribeThrottled, type Throttle, type WatchedRun } from './subscribe-throttled.ts';
import { useLatest } from './use-latest.ts';

/** React 18 complains of layout effects on a server, where there are none. */
const useBrowserEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/**
 * What `selector` makes of a run's state, by default the state itself. Re-renders at most once a frame, and only when
 * `isEqual` (default `Object.is`) finds a difference. The selector may be written in the component.
 *
 * Plain state and an effect: an update of `useSyncExternalStore` is synchronous and makes a transition under way start
 * over, so a stream of them starves it.
 *
 * @example
 * const usage = useRun(run, (state) => state.usage.totalTokens);
 */
export function useRun<Types extends PromptTypes, Selected = RunState<Types>>(
  run: WatchedRun<Types>,
  selector?: (state: RunState<Types>) => Selected,
  isEqual: (one: Selected, other: Selected) => boolean = Object.is,
  throttle: Throttle = 'frame',
): Selected {
  // without a selector, what is selected is the state
  const select = selector ?? (whole as (state: RunState<Types>) => Selected);
  const [seen, setSeen] = useState(() => ({ run, state: run.getState() }));
  const latest = useLatest({ select, isEqual });
  /** What was shown last, or will be with the next render. */
  const shown = useRef(seen);
  /** What the run has said last. */
  const told = useRef(seen);

  const show = useCallback(
    (now: typeof seen): void => {
      told.current = now;
      const { run, state } = shown.current;
      const { select, isEqual } = latest.current;
      const isSame = state === now.state || isEqual(select(state), select(now.state));
      if (run === now.run && isSame) return;
      shown.current = now;
      setSeen(now);
    },
    [latest],
  );

  useEffect(() => {
    // whatever happened between the render and now, or while an Activity was hidden
    show({ run, state: run.getState() });
    return subscribeThrottled(run, (state) => show({ run, state }), throttle);
  }, [run, show, throttle]);

  // another selector may see a difference where the one before saw none: it is rendered again before it is painted
  useBrowserEffect(() => {
    if (told.current.run === run) show(told.current);
  }, [run, show, select, isEqual]);

  return select(seen.run === run ? seen.state : run.getState());
}

function whole(state: unknown): unknown {
  return state;
}
