import type { PromptTypes, Run, RunEvent, RunState, SerializedError } from '@cueline/core';
import { useEffect, useRef } from 'react';
import { useLatest } from './use-latest.ts';

/** Called while the component is mounted, always as the last render gave them. What they throw is reported as uncaught. */
export type RunCallbacks<Types extends PromptTypes = PromptTypes> = {
  /** Every event, at once. */
  onEvent?: ((event: RunEvent) => void) | undefined;
  /** The run is done, whoever started it. */
  onDone?: ((state: Extract<RunState<Types>, { status: 'done' }>) => void) | undefined;
  /** The run has failed, whoever started it. A stopped run is neither done nor failed. */
  onError?: ((error: SerializedError) => void) | undefined;
};

type WatchedRun<Types extends PromptTypes> = Pick<Run<never, Types>, 'getState' | 'subscribe' | 'listen'>;

/** Tells `callbacks` how the run goes: each end once, also one that came while an Activity hid the component. */
export function useRunCallbacks<Types extends PromptTypes>(
  run: WatchedRun<Types>,
  callbacks: RunCallbacks<Types>,
): void {
  const latest = useLatest(callbacks);
  const told = useRef<{ run: WatchedRun<Types>; state: RunState<Types> } | undefined>(undefined);
  const wantsEvents = callbacks.onEvent !== undefined;

  useEffect(() => {
    const tell = (state: RunState<Types>): void => {
      const before = told.current;
      told.current = { run, state };
      if (before?.run !== run) return;
      if (before.state.runId === state.runId && before.state.status === state.status) return;
      const { onDone, onError } = latest.current;
      if (state.status === 'done') callSafely(() => onDone?.(state));
      if (state.status === 'error') callSafely(() => onError?.(state.error));
    };
    tell(run.getState());
    return run.subscribe(tell);
  }, [run, latest]);

  useEffect(() => {
    if (!wantsEvents) return;
    return run.listen((event) => callSafely(() => latest.current.onEvent?.(event)));
  }, [run, latest, wantsEvents]);
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
