import { useMemo } from 'react';
import { logOf, statesOf, type ShownRun } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { LongText } from '../../ui/long-text.tsx';
import { EmptyText } from '../../ui/section.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { PagedSection } from './paged-section.tsx';
import { promptsInTurns } from './prompt-steps.ts';
import { StepRow } from './step-row.tsx';
import { variableHistory, type ShownLog, type VariableChange } from './variable-history.ts';

/** How much of a value is drawn at first, and how much is compared with the one before, in characters. */
const FIRST_CHARACTERS = 1_000;
const MAX_COMPARED_LENGTH = 20_000;

type VariableValuesProps = { session: RunSession; shown: ShownRun; name: string; agent: string | undefined };

/** The values of a variable over time. */
export function VariableValues({ session, shown, name, agent }: VariableValuesProps) {
  const { turn, state } = shown;
  const lastLog = logOf(session, turn);
  // the steps decide what has been sent, and the variables what has been set
  const changes = useMemo(() => {
    const runs = statesOf(shown);
    const paths = new Set(promptsInTurns(runs, agent).map((prompt) => `${prompt.turn} ${prompt.path ?? ''}`));
    const logs = runs.map(({ seq }, past): ShownLog => ({
      turn: past,
      log: past === turn ? lastLog : logOf(session, past),
      until: past === turn ? seq : Infinity,
    }));
    return variableHistory(name, logs).filter((change) => paths.has(`${change.turn} ${change.path ?? ''}`));
    // oxlint-disable-next-line react/exhaustive-deps
  }, [name, agent, session, turn, lastLog, state.variables, state.steps.length, state.agents]);
  return (
    <PagedSection
      title="Values"
      hint={formatCount(changes.length)}
      empty="This variable has not been set."
      noun="values"
      rows={changes}
      keyOf={({ key }) => key}
    >
      {(change) => (
        <>
          <StepRow turn={change.turn} path={change.path} step={change.step} shown={shown}>
            at {formatDuration(change.t)}
          </StepRow>
          <Value change={change} />
        </>
      )}
    </PagedSection>
  );
}

function Value({ change: { value, before } }: { change: VariableChange }) {
  if (value === undefined) return <EmptyText>Removed when the task that defined it ended.</EmptyText>;
  const isCompared =
    before !== undefined && before.length <= MAX_COMPARED_LENGTH && value.length <= MAX_COMPARED_LENGTH;
  return (
    <p className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
      {isCompared ? (
        <TextDiff before={visibleText(before)} after={visibleText(value)} folds />
      ) : value === '' ? (
        <span className="text-ink-3">empty text</span>
      ) : (
        <LongText text={visibleText(value)} atOnce={FIRST_CHARACTERS} />
      )}
    </p>
  );
}
