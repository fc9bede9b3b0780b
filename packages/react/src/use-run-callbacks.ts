import { CuelineError, type PromptTypes, type Run, type RunEvent, type RunState } from '@cueline/core';
import { useEffect, useRef } from 'react';
import { useLatest } from './use-latest.ts';

/** Called while the component is mounted, always as the last render gave them. What they throw is reported as uncaught. */
export type RunCallbacks<Types extends PromptTypes = PromptTypes> = {
  /** Every event, at once. */
  onEvent?: ((event: RunEvent) => void) | undefined;
  /** The run is done, whoever started it. */
  onDone?: ((state: Extract<RunState<Types>, { status: 'done' }>) => void) | undefined;
  /**
   * The run has failed, whoever started it. A stopped run is neither done nor failed. An error of this page has its
   * stack, and what was thrown as its `cause`; one that comes from elsewhere has what its log says.
   */
  onError?: ((error: CuelineError) => void) | undefined;
};

type NotifiedRun<Types extends PromptTypes> = Pick<Run<never, Types>, 'getState' | 'listen'>;

/**
 * Tells `callbacks` how the run goes: each end once, also one that came while an Activity hid the component, and none
 * of a run that had ended before and is only restored.
 */
export function useRunCallbacks<Types extends PromptTypes>(
  run: NotifiedRun<Types>,
  callbacks: RunCallbacks<Types>,
): void {
  const latest = useLatest(callbacks);
  const left = useRef<{ run: NotifiedRun<Types>; state: RunState<Types> }>(null);

  useEffect(() => {
    const tellEnd = (state: RunState<Types>): void => {
      const { onDone, onError } = latest.current;
      if (state.status === 'done') callSafely(() => onDone?.(state));
      if (state.status === 'error') callSafely(() => onError?.(CuelineError.fromJSON(state.error)));
    };
    const before = left.current;
    const now = run.getState();
    if (before?.run === run && (before.state.status !== now.status || before.state.runId !== now.runId))
      tellEnd(now);

    let mounted = true;
    const unlisten = run.listen((event) => {
      const { onEvent, onDone, onError } = latest.current;
      if (onEvent !== undefined) callSafely(() => onEvent(event));
      // whoever wants no end need not have the whole of a burst reduced at once
      if (event.type !== 'run-end' || (onDone ?? onError) === undefined) return;
      // not by subscription: the start that waited for this end may have begun before the next frame
      const state = run.getState();
      // after everybody has heard of this end: a callback may start the next run
      queueMicrotask(() => {
        if (mounted) tellEnd(state);
      });
    });
    return () => {
      mounted = false;
      left.current = { run, state: run.getState() };
      unlisten();
    };
  }, [run, latest]);
}

/** A mistake in a callback is the application's to see, and must not end the run or keep its state from being shown. */
function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
