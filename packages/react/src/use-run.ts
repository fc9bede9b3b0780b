import type { PromptTypes, RunState } from '@cueline/core';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { subscribeThrottled, type Throttle, type WatchedRun } from './subscribe-throttled.ts';
import { useLatest } from './use-latest.ts';

/** React 18 warns about layout effects on a server. */
const useBrowserEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/**
 * The result of `selector` for a run's state; without one, the state itself. Re-renders at most once a frame,
 * and only when `isEqual` (default `Object.is`) finds a difference. The selector may stand in the component.
 *
 * It uses plain state and an effect: an update of `useSyncExternalStore` is synchronous and restarts a
 * transition that is in progress, so a stream would starve it.
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
  // without a selector, the state is selected
  const select = selector ?? (identity as (state: RunState<Types>) => Selected);
  const [seen, setSeen] = useState<Seen<Types>>(() => ({ run, state: run.getState() }));
  const latest = useLatest({ select, isEqual });
  const view = useRef<View<Types>>({ shown: seen, latest: seen });

  useEffect(() => {
    const show = (state: RunState<Types>): void => {
      if (isChanged(view.current, { run, state }, latest.current)) setSeen({ run, state });
    };
    // changes between the render and now, or while an Activity was hidden
    show(run.getState());
    return subscribeThrottled(run, show, throttle);
  }, [run, latest, throttle]);

  // a new selector may see a difference where the previous one saw none: this renders again before the paint
  useBrowserEffect(() => {
    const { latest: current } = view.current;
    if (current.run === run && isChanged(view.current, current, { select, isEqual })) setSeen(current);
  }, [run, select, isEqual]);

  return select(seen.run === run ? seen.state : run.getState());
}

/** A run, and its state at some moment. */
type Seen<Types extends PromptTypes> = { run: WatchedRun<Types>; state: RunState<Types> };

/** The state shown last, or with the next render, and the run's latest state. */
type View<Types extends PromptTypes> = { shown: Seen<Types>; latest: Seen<Types> };

/** Records the run's latest state; true if it has to be shown. */
function isChanged<Types extends PromptTypes, Selected>(
  view: View<Types>,
  now: Seen<Types>,
  {
    select,
    isEqual,
  }: { select: (state: RunState<Types>) => Selected; isEqual: (one: Selected, other: Selected) => boolean },
): boolean {
  const { run, state } = view.shown;
  view.latest = now;
  try {
    if (run === now.run && (state === now.state || isEqual(select(state), select(now.state)))) return false;
  } catch {
    // the render throws it again, unless the component is gone by then
  }
  view.shown = now;
  return true;
}

function identity(state: unknown): unknown {
  return state;
}
