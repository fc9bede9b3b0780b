import { isInProgress } from '@cueline/core';
import { useRun } from '@cueline/react';
import { useEffect } from 'react';
import { idle } from '../editor/wait-for-editor.ts';
import type { RunSession } from '../state/store.ts';

/** How many events are read at a time. */
const AT_ONCE = 1_000;

/**
 * Prepares the moments of a run that is not in progress, while the page is idle. To show its first moment, a run
 * reads its log up to there; it stores states in between for the others.
 */
export function usePreparedMoments({ run }: RunSession): void {
  const last = useRun(run, (state) => (isInProgress(state) ? undefined : state.seq));
  useEffect(() => {
    if (last === undefined) return undefined;
    const stop = new AbortController();
    void prepare(run, last, stop.signal);
    return () => stop.abort();
  }, [run, last]);
}

async function prepare(run: RunSession['run'], last: number, signal: AbortSignal): Promise<void> {
  for (let seq = AT_ONCE; seq < last + AT_ONCE; seq += AT_ONCE) {
    await idle();
    if (signal.aborted) return;
    run.at(Math.min(seq, last) - 1);
  }
}
