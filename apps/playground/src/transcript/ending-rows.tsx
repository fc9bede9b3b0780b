import type { SerializedError } from '@cueline/core';
import { CircleAlert, CircleCheck, CircleStop, Pause, Settings2, TriangleAlert } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { DataView } from '../ui/data/data-view.tsx';
import { Sentence } from '../ui/text/sentence.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { ModelMarkdown } from './content/markdown.tsx';
import { errorMessage, errorTitle, isFixedInModelDialog } from './error-messages.ts';
import { useLineOfError } from './line-of-error.ts';

/** The end of a session, in the model's own words. */
export const CompleteRow = memo(function CompleteRow({
  summary,
  result,
}: {
  summary: string;
  result: unknown;
}) {
  return (
    <Ending title="Task complete" className="pt-2" testId="task-complete">
      <div className="px-3 pt-0.5 pb-2">
        <ModelMarkdown text={summary} streaming={false} />
      </div>
      {result !== undefined && <Output value={result} />}
    </Ending>
  );
});

/** The parsed output of an answer. */
export const ResultRow = memo(function ResultRow({ value }: { value: object }) {
  return (
    <Ending title="Result" className="py-2">
      <Output value={value} />
    </Ending>
  );
});

type EndingProps = { title: string; className: string; testId?: string; children: ReactNode };

function Ending({ title, className, testId, children }: EndingProps) {
  return (
    <section
      role="group"
      aria-label={title}
      className="overflow-hidden rounded-lg border border-line bg-panel"
      data-testid={testId}
    >
      <h3 className={`flex items-center gap-2 px-3 font-medium text-ok ${className}`}>
        <CircleCheck aria-hidden className="size-4 shrink-0" />
        {title}
      </h3>
      {children}
    </section>
  );
}

function Output({ value }: { value: unknown }) {
  return (
    <div className="scroll max-h-80 border-t border-line bg-raised px-3 py-1.5">
      <DataView label="Output" value={value} />
    </div>
  );
}

export function WarningRow({ message }: { message: string }) {
  return (
    <p className="flex gap-2 rounded-lg bg-warn-soft px-3 py-2 text-warn">
      <TriangleAlert className="mt-[3px] size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <span className="sr-only">Warning: </span>
        <Sentence text={visibleText(message)} />
      </span>
    </p>
  );
}

export function StoppedRow({ shared }: { shared: boolean }) {
  return (
    <p className="flex items-center gap-2 text-ink-2">
      <CircleStop className="size-3.5 text-ink-3" />
      {shared ? 'This run was stopped.' : 'You stopped this run. What had arrived is kept.'}
    </p>
  );
}

export function SuspendedRow() {
  return (
    <p className="flex gap-2 rounded-lg bg-warn-soft px-3 py-2 text-warn">
      <Pause className="mt-[3px] size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        The run is suspended: a tool call waits for an answer. To continue, start the session again with these
        messages and the answer.
      </span>
    </p>
  );
}

/** `shared`: the run happened elsewhere, with the settings of its author. */
export function ErrorRow({ error, shared }: { error: SerializedError; shared: boolean }) {
  const at = useLineOfError(error);
  return (
    <section
      role="group"
      aria-label="Run error"
      data-testid="run-error"
      className="rounded-lg border border-danger-line bg-danger-soft px-3 py-2.5"
    >
      <h3 className="flex items-center gap-2 font-semibold text-danger">
        <CircleAlert className="size-4 shrink-0" />
        {errorTitle(error)}
      </h3>
      <p className="mt-1 wrap-anywhere whitespace-pre-wrap text-ink">
        <Sentence text={visibleText(errorMessage(error))} />
      </p>
      <div className="mt-2 flex flex-wrap gap-2 empty:hidden">
        {at !== undefined && (
          <Button variant="outline" onClick={at.show}>
            Go to line {at.line}
          </Button>
        )}
        {!shared && isFixedInModelDialog(error) && (
          <Button variant="outline" onClick={() => usePlayground.setState({ modelDialogOpen: true })}>
            <Settings2 />
            Model settings
          </Button>
        )}
      </div>
    </section>
  );
}
