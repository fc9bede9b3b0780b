import type { SerializedError } from '@cueline/core';
import { ArrowDownToLine, ChevronLeft, ChevronRight, CircleAlert, CornerUpLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { useInspection, type Selection } from '../state/inspection.ts';
import type { ShownRun } from '../state/shown-run.ts';
import { errorMessage, errorTitle } from '../transcript/error-messages.ts';
import { useLineOfError } from '../transcript/line-of-error.ts';
import { formatDuration } from '../ui/format.ts';
import { PaneHeader } from '../ui/pane-header.tsx';
import { Sentence } from '../ui/text/sentence.tsx';
import { IconButton } from '../ui/tip.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { isSimulated, neighbors, type StepTarget } from './target.ts';

type InspectorHeaderProps = {
  shown: ShownRun;
  target: StepTarget | undefined;
  /** The step or call that is selected; undefined while the latest step is followed. */
  selected: Selection | undefined;
  /** True while the run is in progress. */
  isLive: boolean;
};

/** The step that is shown, and buttons for the steps before and after it. */
export function InspectorHeader({ shown, target, selected, isLive }: InspectorHeaderProps) {
  const { before, after } = target === undefined ? {} : neighbors(shown, target);
  return (
    <PaneHeader title={target === undefined ? 'Inspector' : <Title shown={shown} target={target} />}>
      {target?.call !== undefined && (
        <Move label="Back to the step" to={stepOf(target)}>
          <CornerUpLeft />
        </Move>
      )}
      {selected !== undefined && (
        <IconButton
          label={isLive ? 'Follow the latest step' : 'Show the last step'}
          onClick={() => useInspection.getState().select(undefined)}
        >
          <ArrowDownToLine />
        </IconButton>
      )}
      <Move label="Previous step" to={before}>
        <ChevronLeft />
      </Move>
      <Move label="Next step" to={after}>
        <ChevronRight />
      </Move>
    </PaneHeader>
  );
}

function stepOf({ turn, path, step }: StepTarget): Selection {
  return { kind: 'step', turn, agent: path, step: step.step };
}

/** `Step 2 · weather`, with the turn of a conversation before it and the call after it. */
function Title({ shown, target: { turn, path, work, step, call } }: { shown: ShownRun; target: StepTarget }) {
  const name = work.name ?? (path === undefined ? 'run' : 'agent');
  return (
    <span className="w-0 grow truncate" data-testid="inspected">
      {shown.turn > 0 && `Turn ${turn + 1} · `}Step {step.step + 1}
      <span className="font-normal text-ink-3">
        {' '}
        · {visibleText(call === undefined ? name : call.toolName)}
      </span>
    </span>
  );
}

type MoveProps = { label: string; to: Selection | undefined; children: ReactNode };

/** Selects another step; a button without one stays focusable, so that the keyboard does not lose its place. */
function Move({ label, to, children }: MoveProps) {
  return (
    <IconButton
      label={label}
      aria-disabled={to === undefined}
      className="aria-disabled:opacity-50"
      onClick={() => to !== undefined && useInspection.getState().select(to)}
    >
      {children}
    </IconButton>
  );
}

/** The model of a step, how it ended, and how long it took. */
export function StepSummary({ target: { step, work, index } }: { target: StepTarget }) {
  const { request, startedAt, finishedAt, finishReason } = step;
  const isLast = index === work.steps.length - 1;
  const error = isLast && work.status === 'error' ? work.error : undefined;
  return (
    <>
      <div className="flex min-h-8 shrink-0 items-center gap-3 overflow-hidden px-4 narrow:px-3 text-sm whitespace-nowrap text-ink-2">
        <span className="min-w-0 truncate" title={visibleText(request.model)}>
          {isSimulated(step) ? 'Demo model' : visibleText(request.model)}
        </span>
        <span className="ml-auto shrink-0">
          {finishReason === undefined ? 'Not finished' : (finishLabels[finishReason] ?? finishReason)}
        </span>
        <span className="shrink-0">
          {finishedAt === undefined
            ? `from ${formatDuration(startedAt)}`
            : formatDuration(finishedAt - startedAt)}
        </span>
      </div>
      {error !== undefined && <RunError error={error} />}
    </>
  );
}

const finishLabels: Record<string, string> = {
  stop: 'Finished',
  'tool-calls': 'Called tools',
  length: 'Cut off: too long',
  'content-filter': 'Refused by the filter',
  error: 'Failed',
  other: 'Finished for another reason',
};

/** Why the run ended in this step, and its line in the script if it is known. */
function RunError({ error }: { error: SerializedError }) {
  const at = useLineOfError(error);
  return (
    <div
      role="group"
      aria-label="Error"
      className="mx-4 mb-2 rounded-md bg-danger-soft px-2.5 py-1.5 text-sm"
    >
      <p className="flex items-center gap-1.5 font-medium text-danger">
        <CircleAlert aria-hidden className="size-3.5 shrink-0" />
        {errorTitle(error)}
        {at !== undefined && (
          <button
            type="button"
            className="ml-auto shrink-0 font-normal text-text-kind underline narrow:min-h-11"
            onClick={at.show}
          >
            Line {at.line}
          </button>
        )}
      </p>
      <p className="wrap-anywhere whitespace-pre-wrap text-ink-2">
        <Sentence text={visibleText(errorMessage(error))} atOnce={1_000} />
      </p>
    </div>
  );
}
