import { RotateCcw, Search } from 'lucide-react';
import { useMemo } from 'react';
import { usePrompts } from '../prompts/store.ts';
import { usePlayground } from '../state/store.ts';
import { Announce } from '../ui/announce.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyPane } from '../ui/empty-pane.tsx';
import { Choose, TextInput } from '../ui/form-controls.tsx';
import { plural } from '../ui/format.ts';
import { areOutdated } from './plan-eval.ts';
import { filterRows, toTable } from './result-rows.ts';
import { ResultsTable } from './results-table.tsx';
import { startEval } from './start-eval.ts';
import { useEvals, type EvalsState } from './store.ts';
import { Summaries } from './summaries.tsx';

/** The results: figures by version and model, and the runs of each case. */
export function ResultsPane() {
  const evaluation = useEvals((state) => state.evaluation);
  if (evaluation === undefined) return <NoResults />;
  return (
    <section aria-label="Results" className="flex min-h-0 flex-1 flex-col bg-page">
      <h2 className="sr-only">Results</h2>
      <Results />
    </section>
  );
}

function Results() {
  const evaluation = useEvals((state) => state.evaluation)!;
  const filter = useEvals((state) => state.filter);
  const search = useEvals((state) => state.search);
  const entries = usePrompts((state) => state.entries);
  const hasOtherSettings = useEvals((state) => state.settings !== evaluation.settings);
  const isEdited = useMemo(
    () =>
      hasOtherSettings ||
      areOutdated(
        evaluation.prompts,
        entries.map(({ prompt }) => prompt),
      ),
    [hasOtherSettings, evaluation.prompts, entries],
  );
  const evaluating = usePlayground((state) => state.evaluating);
  const table = useMemo(() => toTable(evaluation), [evaluation]);
  const rows = useMemo(() => filterRows(table.rows, { filter, search }), [table, filter, search]);
  const done = evaluation.results.size;
  const total = evaluation.runs.length;
  const failed = [...evaluation.results.values()].filter(({ status }) => status !== 'passed').length;
  const status = evaluating
    ? `${done} of ${total} runs`
    : done < total
      ? `Stopped after ${done} of ${total} runs`
      : `${plural(total, 'run')}, ${failed === 0 ? 'all passed' : `${failed} not passed`}`;
  return (
    <>
      <div className="shrink-0 border-b border-line bg-panel">
        <div className="flex h-9 items-center gap-3 px-4 text-sm narrow:h-12 narrow:px-3">
          <span data-testid="eval-status" className="truncate font-medium">
            {status}
            {evaluation.shared && <span className="font-normal text-ink-3"> · from a link</span>}
            {isEdited && !evaluating && <span className="font-normal text-warn"> · before your changes</span>}
          </span>
          {!evaluating && !evaluation.shared && (
            <span className="ml-auto flex gap-1">
              {failed > 0 && (
                <Button onClick={() => void startEval('failed')}>
                  <RotateCcw />
                  Run failed again
                </Button>
              )}
              <Button onClick={() => void startEval('all')} className="narrow:hidden">
                Run all again
              </Button>
            </span>
          )}
        </div>
        <div
          role="progressbar"
          aria-label="Runs that have ended"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={done}
          className="h-0.5 bg-line"
        >
          <div
            className="h-full bg-go transition-[width] duration-100"
            style={{ width: `${(100 * done) / total}%` }}
          />
        </div>
      </div>
      <div className="scroll min-h-0 flex-1">
        <Summaries columns={table.columns} />
        <div className="flex flex-wrap items-end gap-2 px-4 pb-2 narrow:px-3">
          <Choose
            label="Show"
            quiet
            value={filter}
            onChoose={(next: EvalsState['filter']) => useEvals.setState({ filter: next })}
            className="w-48"
            options={[
              ['all', table.rows.length === 1 ? 'All' : `All ${plural(table.rows.length, 'case')}`],
              ['failed', 'Failed'],
              ['errors', 'With errors'],
              ['passed', 'Passed'],
              ['unstable', 'Sometimes passed'],
              ['different', 'Different between columns'],
            ]}
          />
          <span className="relative w-48 narrow:flex-1">
            <Search className="pointer-events-none absolute top-[7px] left-2.5 size-3.5 text-ink-3 narrow:top-[15px]" />
            <TextInput
              label="Search cases"
              quiet
              value={search}
              onText={(next) => useEvals.setState({ search: next })}
              className="[&_input]:pl-8"
              placeholder="Search"
              type="search"
            />
          </span>
        </div>
        <ResultsTable columns={table.columns} rows={rows} />
      </div>
      <Announce text={status} />
    </>
  );
}

function NoResults() {
  return (
    <section aria-label="Results" className="flex min-h-0 flex-1 flex-col bg-page">
      <EmptyPane
        title="See how good a prompt is"
        text="Each case runs with each version and model. Here you see what passes and what fails as it happens, the pass rate with its confidence interval, and the cost."
        action="Run this eval"
        onStart={() => void startEval()}
      />
    </section>
  );
}
