import { useMemo } from 'react';
import type { Selection } from '../../state/inspection.ts';
import { linesOfRun, moveLines } from '../../state/lines-of-run.ts';
import { useScriptLines } from '../../state/script-lines.ts';
import { usePlayground, type RunSession } from '../../state/store.ts';
import { definitionsOf } from '../prompts-of-run.ts';

/** At most this many lines are named. */
const MAX_LINES = 5;

type DefinitionLinesProps = { session: RunSession; selected: Extract<Selection, { kind: 'definition' }> };

/** The lines of the script that made a definition. A press shows the line in the editor. */
export function DefinitionLines({ session, selected: { of, name, agent } }: DefinitionLinesProps) {
  const made = useScriptLines((state) => state.bySession[session.id]);
  const script = usePlayground((state) => state.script);
  const ran = 'script' in session.source ? session.source.script : undefined;
  const lines = useMemo(() => {
    if (ran === undefined) return [];
    const moved = moveLines(linesOfRun(ran, made ?? []), ran, script);
    const found = definitionsOf(moved.definitions, [of], name, agent);
    return [...new Set(found.map(({ line }) => line))];
  }, [ran, script, made, of, name, agent]);
  if (ran === undefined) return null;
  if (lines.length === 0) {
    return <span className="text-ink-3">Not in the script of the editor</span>;
  }
  return lines.slice(0, MAX_LINES).map((line) => (
    <button
      key={line}
      type="button"
      className="text-text-kind hover:underline narrow:min-h-11 narrow:min-w-11"
      onClick={() => usePlayground.getState().showLine(line)}
    >
      Line {line}
    </button>
  ));
}
