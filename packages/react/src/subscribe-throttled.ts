import type { PromptTypes, RunState } from '@cueline/core';

/** The members of a run that are needed to show it. */
export type WatchedRun<Types extends PromptTypes = PromptTypes> = {
  getState(): RunState<Types>;
  subscribe(listener: (state: RunState<Types>) => void): () => void;
};

/** How often a component may render something new: once a frame, or at most once in this many milliseconds. */
export type Throttle = number | 'frame';

/**
 * Calls `listener` with a run's states at most as often as `throttle` says; a state that begins or ends the run
 * comes at once.
 */
export function subscribeThrottled<Types extends PromptTypes>(
  run: WatchedRun<Types>,
  listener: (state: RunState<Types>) => void,
  throttle: Throttle,
): () => void {
  if (throttle === 'frame') return run.subscribe(listener);
  let latest: RunState<Types> | undefined;
  let notifiedAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function notify(): void {
    clearTimeout(timer);
    timer = undefined;
    notifiedAt = performance.now();
    listener(latest!);
  }

  const unsubscribe = run.subscribe((state) => {
    const goesOn = state.status === latest?.status && state.runId === latest.runId;
    const wait = goesOn ? notifiedAt + throttle - performance.now() : 0;
    latest = state;
    if (wait <= 0) notify();
    else timer ??= setTimeout(notify, wait);
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
