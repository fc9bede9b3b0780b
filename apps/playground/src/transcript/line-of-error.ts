import type { SerializedError } from '@cueline/core';
import { useMemo } from 'react';
import { moveLine } from '../state/lines-of-run.ts';
import { compareScript, currentSession, usePlayground } from '../state/store.ts';

/**
 * The line of the script in the editor at which the run that is shown failed, and a function that shows it. Undefined
 * if the line is not known, or is not in the editor: it was edited since, or another script is there.
 */
export function useLineOfError({
  details = {},
}: SerializedError): { line: number; show: () => void } | undefined {
  const { line: ran, column } = details;
  const script = usePlayground((state) => state.script);
  const source = usePlayground((state) => {
    const session = currentSession(state);
    return session !== undefined && compareScript(state, session) !== 'other' ? session.source : undefined;
  });
  return useMemo(() => {
    if (typeof ran !== 'number' || source === undefined || !('script' in source)) return undefined;
    const line = moveLine(ran, source.script, script);
    if (line === undefined) return undefined;
    const show = () => usePlayground.getState().showLine(line, typeof column === 'number' ? column : 1);
    return { line, show };
  }, [ran, column, source, script]);
}
