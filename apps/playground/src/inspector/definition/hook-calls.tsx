import { useMemo } from 'react';
import { logOf, statesOf, type ShownRun } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import { formatCount, formatDuration, plural, summarize } from '../../ui/format.ts';
import { FactList } from '../../ui/section.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { historyOfHook, type HookChange } from './hook-changes.ts';
import { PagedSection } from './paged-section.tsx';
import { StepRow } from './step-row.tsx';

/** How much of a value is shown in its row, in characters. */
const MAX_VALUE_LENGTH = 200;

type HookCallsProps = { session: RunSession; shown: ShownRun; index: number; agent: string | undefined };

/** The steps that a hook has changed, each with the fields that it returned. */
export function HookCalls({ session, shown, index, agent }: HookCallsProps) {
  const { state, earlier } = shown;
  const { steps, agents } = state;
  const { changes, steps: stepCount } = useMemo(
    () => historyOfHook(index, statesOf(shown), (turn) => logOf(session, turn), agent),
    // a hook runs before the start of its step
    // oxlint-disable-next-line react/exhaustive-deps
    [index, agent, session, earlier, steps.length, agents],
  );
  return (
    <>
      <p className="px-4 py-2 text-sm text-ink-2 narrow:px-3">
        A hook is called before each step. In the steps that are not listed, this one changed nothing.
      </p>
      <PagedSection
        title="Changed"
        hint={`${formatCount(changes.length)} of ${plural(stepCount, 'step')}`}
        empty="The log has no change of this hook."
        noun="changes"
        rows={changes}
        keyOf={({ turn, path = '', step, t }) => `${turn} ${path} ${step} ${t}`}
      >
        {(change) => (
          <>
            <StepRow {...change} shown={shown}>
              {change.taskId !== undefined && `hook of ${visibleText(change.taskId)} · `}at{' '}
              {formatDuration(change.t)}
            </StepRow>
            <FactList rows={change.fields.map(rowOf)} />
          </>
        )}
      </PagedSection>
    </>
  );
}

function rowOf({ name, value }: HookChange['fields'][number]): { name: string; value: string } {
  return { name: visibleText(name), value: describe(name, value) };
}

/** The value that the step sent in the end: a later hook may have changed it again. */
function describe(name: string, value: unknown): string {
  if (name === 'messages' && Array.isArray(value)) return `${plural(value.length, 'message')} sent`;
  if (name === 'system' && typeof value === 'string') return `${plural(value.length, 'character')} sent`;
  if (name === 'activeTools' && Array.isArray(value)) {
    return value.length === 0 ? 'no tools' : visibleText(summarize(value.join(', '), MAX_VALUE_LENGTH));
  }
  return value === undefined ? 'set' : visibleText(summarize(value, MAX_VALUE_LENGTH));
}
