import { isInProgress, type RunState } from '@cueline/core';
import { clsx } from 'clsx';
import {
  Check,
  CircleAlert,
  CircleDashed,
  CircleStop,
  Eye,
  History,
  LoaderCircle,
  PanelBottom,
  PanelRight,
  Pause,
  type LucideIcon,
} from 'lucide-react';
import { modelLabelOf } from '../model/connection.ts';
import { openPreview, usePreview } from '../state/preview.ts';
import type { RunClock } from '../state/run-clock.ts';
import type { ShownRun } from '../state/shown-run.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { phaseLabel } from '../transcript/announcement.ts';
import { isOutOfTurns } from '../transcript/error-messages.ts';
import { RetryNote } from '../transcript/retry-note.tsx';
import { describeWholeRun } from '../transcript/whole-run.ts';
import { Button } from '../ui/button.tsx';
import { formatCount, formatDuration, plural } from '../ui/format.ts';
import { LiveDuration } from '../ui/live-duration.tsx';
import { Tip } from '../ui/tip.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { ShownTime } from './shown-time.tsx';

const styles = {
  idle: { Icon: CircleDashed, label: 'Not run yet', className: 'text-ink-2' },
  running: { Icon: LoaderCircle, label: 'Running', className: 'text-ink' },
  waiting: { Icon: Pause, label: 'Waiting for you', className: 'text-warn' },
  done: { Icon: Check, label: 'Done', className: 'text-ok' },
  error: { Icon: CircleAlert, label: 'Failed', className: 'text-danger' },
  stopped: { Icon: CircleStop, label: 'Stopped', className: 'text-ink-2' },
} as const;

/** The status of an earlier moment, at which the run had not ended. */
const pastStyles = {
  running: { Icon: History, label: 'Was running', className: 'text-ink-2' },
  waiting: { Icon: History, label: 'Was waiting', className: 'text-ink-2' },
} as const;

type PaneToggleProps = { pane: 'inspectorOpen' | 'timelineOpen'; label: string; Icon: LucideIcon };

type RunBarProps = {
  session: RunSession | undefined;
  shown: ShownRun;
  /** True if the preview of the request can be shown in place of the run. */
  hasPreview?: boolean;
};

/** The status of the last turn that is shown: model, step, time, tokens. */
export function RunBar({ session, shown, hasPreview = false }: RunBarProps) {
  const { state, turn, isPast } = shown;
  // After a press on Run, the run exists before its first event.
  const status = session !== undefined && state.status === 'idle' ? 'running' : state.status;
  const going = !isPast && isInProgress({ ...state, status });
  const { Icon, label, className } =
    isPast && (status === 'running' || status === 'waiting') ? pastStyles[status] : styles[status];
  const whole = describeWholeRun(shown);
  // the model may have been another one at an earlier moment
  const model = session !== undefined && isPast ? modelLabelOf(state, session.model) : session?.model;
  return (
    <div className="@container flex h-9 shrink-0 items-center gap-x-3 overflow-hidden border-b border-line bg-panel px-4 text-sm text-ink-2 narrow:h-12">
      <span
        className={clsx('flex shrink-0 items-center gap-1.5 font-medium', className)}
        data-testid="status"
        data-status={status}
      >
        <Icon className={clsx('size-3.5', going && status === 'running' && 'animate-spin text-go')} />
        {endLabel(state) ?? label}
        {state.status === 'running' && (
          <span className="font-normal text-ink-2 @max-[560px]:sr-only narrow:hidden">
            <Phase state={state} />
          </span>
        )}
      </span>
      {session !== undefined && model !== undefined && (
        <>
          <span className="ml-auto min-w-0 shrink-[99] truncate @max-[620px]:sr-only">
            {visibleText(model.name)}
            <span className="text-ink-3"> · {visibleText(model.detail)}</span>
          </span>
          <span aria-hidden className="-ml-3 hidden flex-1 @max-[620px]:block" />
          {/* in a narrow pane, the last figures give way to the controls, each as a whole */}
          <span className="flex h-[1lh] min-w-0 flex-wrap justify-end gap-x-3 overflow-hidden">
            {whole !== undefined && (
              <span className="shrink-0" title={`The whole run: ${whole}`}>
                Turn {turn + 1}
              </span>
            )}
            {state.steps.length > 0 && (
              <span className="shrink-0">
                {going ? `Step ${state.steps.length}` : plural(state.steps.length, 'step')}
              </span>
            )}
            <span className="shrink-0 text-right" data-testid="elapsed">
              <Elapsed state={state} isPast={isPast} clock={going ? session.clock : undefined} />
            </span>
            {state.usage.totalTokens > 0 && (
              <span
                className="shrink-0 narrow:hidden"
                title={`${formatCount(state.usage.inputTokens)} in, ${formatCount(state.usage.outputTokens)} out`}
              >
                {plural(state.usage.totalTokens, 'token')}
              </span>
            )}
          </span>
          {hasPreview && <PreviewToggle />}
          <span className="-mr-2 flex narrow:hidden">
            <PaneToggle pane="inspectorOpen" label="Inspector" Icon={PanelRight} />
            <PaneToggle pane="timelineOpen" label="Timeline" Icon={PanelBottom} />
          </span>
        </>
      )}
      {session === undefined && hasPreview && <PreviewToggle className="-mr-2 ml-auto" />}
    </div>
  );
}

/** Opens and closes a pane that shows more of the run. */
function PaneToggle({ pane, label, Icon }: PaneToggleProps) {
  const open = usePlayground((state) => state[pane]);
  return (
    <Tip text={open ? `Close the ${label.toLowerCase()}` : `Open the ${label.toLowerCase()}`}>
      <Button
        square
        aria-label={label}
        aria-pressed={open}
        className="aria-pressed:text-ink"
        onClick={() => usePlayground.setState({ [pane]: !open })}
      >
        <Icon />
      </Button>
    </Tip>
  );
}

/** How a run ended, if its status alone does not say it. */
function endLabel(state: RunState): string | undefined {
  if (state.status === 'waiting' && !isInProgress(state)) return 'Suspended';
  if (state.status === 'error' && isOutOfTurns(state.error)) return 'Out of turns';
  if (state.status === 'error' && state.error.code === 'interrupted') return 'Interrupted';
  return undefined;
}

function Phase({ state }: { state: Extract<RunState, { status: 'running' }> }) {
  if (state.seq < 0) return 'starting';
  return state.phase === 'retrying' ? <RetryNote retrying={state.retrying} /> : phaseLabel[state.phase];
}

type ElapsedProps = { state: RunState; isPast: boolean; clock: RunClock | undefined };

/** How long the run took, or has taken so far; nothing before its first event. `clock` is missing unless it is live. */
function Elapsed({ state, isPast, clock }: ElapsedProps) {
  if (state.seq < 0) return null;
  if (isPast) return <ShownTime elapsed={state.elapsed} />;
  return clock === undefined ? formatDuration(state.elapsed) : <LiveDuration clock={clock} since={0} />;
}

/** Shows the script's first request in place of the run. */
function PreviewToggle({ className }: { className?: string }) {
  const open = usePreview((preview) => preview.open);
  return (
    <Button
      aria-pressed={open}
      title="The first request of the script"
      onClick={() => openPreview(!open)}
      className={clsx('aria-pressed:bg-selected aria-pressed:text-ink', className)}
    >
      <Eye aria-hidden />
      <span className="@max-[420px]:sr-only narrow:not-sr-only">Preview</span>
    </Button>
  );
}
