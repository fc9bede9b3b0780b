import { logOf, type ShownRun } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import type { TranscriptItem } from '../transcript-item.ts';
import { toTranscript } from '../view-model.ts';

/** A row of the run, or one of the rows around it: its input, its console output, and its summary. */
export type ListItem = TranscriptItem | { key: 'input' | 'console' | 'summary'; kind: 'surrounding' };

/** The rows of a run as it is shown. `hasConsole`: its script has written to the console. */
export function listItems(session: RunSession, shown: ShownRun, hasConsole: boolean): ListItem[] {
  return [
    ...(inputOf(session) === undefined ? [] : [surroundings.input]),
    ...toTranscript(shown.state, shown.earlier, !shown.isPast),
    ...(hasConsole && 'script' in session.source ? [surroundings.console] : []),
    ...(shown.isPast ? [] : [surroundings.summary]),
  ];
}

const surroundings = {
  input: { key: 'input', kind: 'surrounding' },
  console: { key: 'console', kind: 'surrounding' },
  summary: { key: 'summary', kind: 'surrounding' },
} as const satisfies Record<string, ListItem>;

/** The input of a run's first turn, which later turns keep. */
export function inputOf(session: RunSession): unknown {
  const start = logOf(session, 0)[0];
  return start?.type === 'run-start' ? start.input : undefined;
}
