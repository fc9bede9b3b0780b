import { CuelineError, type PromptTypes, type Run, type RunEvent, type RunState } from '@cueline/core';
import { useEffect, useRef } from 'react';
import { useLatest } from './use-latest.ts';

/**
 * Called while the component is mounted, in the version of the last render. Errors that they throw are reported as
 * uncaught.
 */
export type RunCallbacks<Types extends PromptTypes = PromptTypes> = {
  /** Every event, at once. */
  onEvent?: ((event: RunEvent) => void) | undefined;
  /** The run is done, whichever code started it. */
  onDone?: ((state: Extract<RunState<Types>, { status: 'done' }>) => void) | undefined;
  /**
   * The run has failed, whichever code started it. A stopped run is neither done nor failed. An error of this
   * page has its stack, and the thrown value as its `cause`; an error from elsewhere has what the log says.
   */
  onError?: ((error: CuelineError) => void) | undefined;
};

type NotifiedRun<Types extends PromptTypes> = Pick<Run<never, Types>, 'getState' | 'listen' | 'restored'>;

/**
 * Calls `callbacks` for the events and ends of a run: once for each end, also for one that came while an
 * Activity hid the component, but not for an end before a restore.
 */
export function useRunCallbacks<Types extends PromptTypes>(
  run: NotifiedRun<Types>,
  callbacks: RunCallbacks<Types>,
): void {
  const latest = useLatest(callbacks);
  const left = useRef<{ run: NotifiedRun<Types>; state: RunState<Types> }>(null);

  useEffect(() => {
    const callEndCallbacks = (state: RunState<Types>): void => {
      const { onDone, onError } = latest.current;
      if (state.status === 'done') onDone?.(state);
      if (state.status === 'error') onError?.(CuelineError.fromJSON(state.error));
    };
    const before = left.current;
    const now = run.getState();
    if (before?.run === run && (before.state.status !== now.status || before.state.runId !== now.runId))
      // not at once: an error of the callback must not become one of the component
      queueMicrotask(() => callEndCallbacks(now));

    let mounted = true;
    let restored = false;
    void run.restored.then(() => (restored = true));
    const unlisten = run.listen((event) => {
      // how an earlier page left the run
      if (!restored && event.type === 'run-end') return;
      const { onEvent, onDone, onError } = latest.current;
      // without callbacks for ends, a burst of events need not be reduced at once
      if (event.type === 'run-end' && (onDone ?? onError)) {
        // not by subscription: the start that waited for this end may have begun before the next frame
        const state = run.getState();
        // after all subscribers know of this end: a callback may start the next run
        queueMicrotask(() => {
          if (mounted) callEndCallbacks(state);
        });
      }
      // last, because it may throw, which the run reports
      onEvent?.(event);
    });
    return () => {
      mounted = false;
      left.current = restored ? { run, state: run.getState() } : null;
      unlisten();
    };
  }, [run, latest]);
}
