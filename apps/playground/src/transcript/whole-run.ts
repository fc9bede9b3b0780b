import { figuresOf, statesOf, type ShownRun } from '../state/shown-run.ts';
import { formatDuration, plural } from '../ui/format.ts';

/** The figures of all turns together: `2 turns · 7 steps · 9.4 s`. Undefined for a run of one turn. */
export function describeWholeRun({
  state,
  earlier,
}: Pick<ShownRun, 'state' | 'earlier'>): string | undefined {
  if (earlier.length === 0) return undefined;
  const { turns, steps, elapsed, tokens } = figuresOf(statesOf({ earlier, state }));
  return [
    plural(turns, 'turn'),
    plural(steps, 'step'),
    formatDuration(elapsed),
    ...(tokens > 0 ? [plural(tokens, 'token')] : []),
  ].join(' · ');
}
