import { isUnderWay } from '@cueline/core';
import { useRun } from '@cueline/react';
import { useEffect } from 'react';
import { idle } from '../editor/editor-shown.ts';
import type { RunSession } from '../state/store.ts';

/**
 * Prepares the moments of a run that is not under way, once the page is idle. To show its first moment, a run reads its
 * whole log; it stores states in between for the others.
 */
export function usePreparedMoments({ run }: RunSession): void {
  const state = useRun(run);
  useEffect(() => {
    if (isUnderWay(state)) return undefined;
    let isHere = true;
    const prepare = (): void => {
      if (isHere) run.at(state.seq - 1);
    };
    void idle().then(prepare);
    return () => {
      isHere = false;
    };
  }, [run, state]);
}
