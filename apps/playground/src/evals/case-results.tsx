import { isInProgress } from '@cueline/core';
import type { EvalResult } from '@cueline/core/evals';
import { ClipboardCheck, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { definitionOf } from '../prompts/definition-of.ts';
import { sharedOf, usePrompts } from '../prompts/store.ts';
import { openLinkedRun, showLinkedRun } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Choose } from '../ui/form-controls.tsx';
import { formatDuration, plural } from '../ui/format.ts';
import { TextDiff } from '../ui/text-diff.tsx';
import { Sentence } from '../ui/text/sentence.tsx';
import { toast } from '../ui/toast.ts';
import { visibleText } from '../ui/visible-text.ts';
import { modelTitle, type Column, type Row } from './result-rows.ts';
import { StatusIcon } from './status-icon.tsx';
import { indexOfRan, useEvals } from './store.ts';

/** All answers of a case, each with its difference from the expected answer or from another column. */
export function CaseResults({ row, columns }: { row: Row; columns: readonly Column[] }) {
  const [against, setAgainst] = useState('expected');
  const isInForm = useEvals((state) => indexOfRan(state, row.id) !== -1);
  const other = columns.findIndex(({ key }) => key === against);
  return (
    <div className="grid gap-3">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {Object.entries(row.input).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="font-mono text-sm text-ink-2">{visibleText(name)}</dt>
            <dd className="whitespace-pre-wrap wrap-anywhere">{visibleText(value)}</dd>
          </div>
        ))}
        <dt className="text-sm text-ink-2">Expected</dt>
        <dd className="whitespace-pre-wrap wrap-anywhere">{visibleText(row.expect)}</dd>
      </dl>
      {columns.length > 1 && (
        <Choose
          label="Mark what differs from"
          value={against}
          onChoose={setAgainst}
          className="max-w-72"
          options={[
            ['expected', 'the expected answer'],
            ...columns.map(
              ({ key, prompt, model }) => [key, visibleText(`${prompt} · ${modelTitle(model)}`)] as const,
            ),
          ]}
        />
      )}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(260px,1fr))] gap-3">
        {columns.map((column, index) => (
          <section
            key={column.key}
            aria-label={visibleText(`${column.prompt}, ${modelTitle(column.model)}`)}
            className="min-w-0"
          >
            <h3 className="mb-1 truncate text-sm text-ink-2">
              <span className="font-mono">{visibleText(column.prompt)}</span> ·{' '}
              {visibleText(modelTitle(column.model))}
            </h3>
            <ul className="grid gap-2">
              {row.cells[index]!.map((result, repetition) => (
                <Answer
                  key={repetition}
                  result={result}
                  caseId={isInForm ? row.id : undefined}
                  against={
                    other === -1
                      ? row.expect
                      : other === index
                        ? undefined
                        : row.cells[other]![repetition]?.output?.text
                  }
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}

function Answer({
  result,
  against,
  caseId,
}: {
  result: EvalResult | undefined;
  against: string | undefined;
  /** Undefined if the case was removed. */
  caseId: string | undefined;
}) {
  if (result === undefined) {
    return (
      <li className="rounded-md border border-line bg-panel px-3 py-2">
        <StatusIcon result={result} />
      </li>
    );
  }
  const { output, error, scores, ms, usage, scorerUsage = [], stored, log } = result;
  const reasons = scores.filter(({ pass }) => !pass);
  return (
    <li className="rounded-md border border-line bg-panel" data-testid="answer">
      <p className="flex flex-wrap items-center gap-x-2 border-b border-line px-3 py-1 text-sm text-ink-2">
        <StatusIcon result={result} />
        {result.status}
        <span className="ml-auto text-right text-ink-3">
          {plural(usage.inputTokens + usage.outputTokens, 'token')}
          {scorerUsage.map(
            ({ scorer, inputTokens, outputTokens }) =>
              ` · ${scorer} ${plural(inputTokens + outputTokens, 'token')}`,
          )}
          {' · '}
          {formatDuration(ms)}
          {stored && ' · from an earlier evaluation'}
        </span>
      </p>
      <div className="px-3 py-2">
        {output === undefined ? (
          <p className="text-danger wrap-anywhere">
            <Sentence text={visibleText(error?.message ?? '')} />
          </p>
        ) : (
          <p className="whitespace-pre-wrap wrap-anywhere">
            {against === undefined || against === output.text ? (
              visibleText(output.text)
            ) : (
              <TextDiff before={visibleText(against)} after={visibleText(output.text)} />
            )}
          </p>
        )}
        {output !== undefined && error !== undefined && (
          <p className="mt-1 text-sm text-danger wrap-anywhere">
            <Sentence text={visibleText(error.message)} />
          </p>
        )}
        {reasons.map(({ scorer, reason }) => (
          <p key={scorer} className="mt-1 text-sm text-danger wrap-anywhere">
            {scorer}: {visibleText(reason ?? 'not passed')}
          </p>
        ))}
        {(log !== undefined || (output !== undefined && caseId !== undefined)) && (
          <div className="mt-2 -ml-2 flex flex-wrap gap-1">
            {log !== undefined && (
              <Button
                onClick={() => {
                  const { promptSession } = usePlayground.getState();
                  if (promptSession !== undefined && isInProgress(promptSession.run.getState())) {
                    toast.error(
                      'A run is in progress in Prompts. Stop it or wait until it ends, then open this run again.',
                    );
                    return;
                  }
                  const { evaluation } = useEvals.getState();
                  // the version as it ran, which the Prompts view compares with the present one
                  const ran = evaluation?.prompts ?? [];
                  const entries = ran.map((prompt, at) => ({ key: `${at}`, prompt }));
                  const shared = sharedOf({ ...usePrompts.getState(), entries, selected: '0' });
                  showLinkedRun({ prompts: shared }, openLinkedRun(log, definitionOf(shared, log)), {
                    ofEval: true,
                  });
                  usePrompts.setState({ tab: 'run' });
                }}
              >
                <ScrollText />
                Open the run
              </Button>
            )}
            {output !== undefined && caseId !== undefined && result.status !== 'passed' && (
              <Button onClick={() => useEvals.getState().expectAnswer(caseId, output.text)}>
                <ClipboardCheck />
                Expect this answer
              </Button>
            )}
          </div>
        )}
      </div>
    </li>
  );
}
