import {
  CircleAlert,
  CircleCheck,
  CircleStop,
  GitFork,
  PanelRight,
  Play,
  Reply,
  RotateCw,
} from 'lucide-react';
import { forkAt, stepsToRunFrom } from '../state/fork-session.ts';
import { useInspection } from '../state/inspection.ts';
import { continueRun, startRun } from '../state/run-session.ts';
import { logOf, type ShownRun } from '../state/shown-run.ts';
import { compareScript, usePlayground, type RunSession } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { formatCount, formatDuration, plural } from '../ui/format.ts';
import { runTimes } from './run-times.ts';
import { describeWholeRun } from './whole-run.ts';

const styles = {
  done: { Icon: CircleCheck, label: 'Done in', className: 'text-ok' },
  stopped: { Icon: CircleStop, label: 'Stopped after', className: 'text-ink-2' },
  error: { Icon: CircleAlert, label: 'Failed after', className: 'text-danger' },
} as const;

type RunSummaryProps = { session: RunSession; shown: ShownRun };

/** The end of a turn: its times and tokens by kind, those of the whole run, and the next actions. */
export function RunSummary({ session, shown }: RunSummaryProps) {
  const { state, turn } = shown;
  if (state.status !== 'done' && state.status !== 'stopped' && state.status !== 'error') return null;
  // a reply that ended before its first step can still be sent again
  if (state.steps.length === 0 && turn === 0) return null;
  const { Icon, label, className } = styles[state.status];
  const { model, tools, waiting } = runTimes(state, logOf(session, turn));
  const { inputTokens, outputTokens, totalTokens } = state.usage;
  const whole = describeWholeRun(shown);
  return (
    <section
      role="group"
      aria-label="Summary of the run"
      data-testid="run-summary"
      className="mt-3 rounded-lg border border-line bg-panel"
    >
      <div className="flex flex-wrap items-center gap-x-2 px-3 pt-2.5 pb-2">
        <Icon aria-hidden className={`size-4 shrink-0 ${className}`} />
        <h3 className="font-medium">
          {turn > 0 && `Turn ${turn + 1} · `}
          {label} {formatDuration(state.elapsed)}
        </h3>
        <span className="text-ink-2">
          {plural(state.steps.length, 'step')}
          {state.toolCalls.length > 0 && `, ${plural(state.toolCalls.length, 'tool call')}`}
        </span>
      </div>
      <div
        aria-hidden
        className="mx-3 flex h-1.5 gap-px overflow-hidden rounded-full bg-hover forced-color-adjust-none"
      >
        <span className="bg-text-kind" style={{ flexGrow: model }} />
        <span className="bg-tool" style={{ flexGrow: tools }} />
        <span className="stripes text-warn" style={{ flexGrow: waiting }} />
        <span style={{ flexGrow: Math.max(0, state.elapsed - model - tools - waiting) }} />
      </div>
      <dl className="flex flex-wrap gap-x-5 gap-y-1 px-3 pt-2 pb-2.5 text-sm">
        <Fact name="Model" dot="bg-text-kind" value={formatDuration(model)} />
        {state.toolCalls.length > 0 && <Fact name="Tools" dot="bg-tool" value={formatDuration(tools)} />}
        {waiting > 0 && (
          <Fact name="Waiting for an answer" dot="stripes w-3! text-warn" value={formatDuration(waiting)} />
        )}
        {totalTokens > 0 && (
          <Fact name="Tokens" value={`${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`} />
        )}
        {whole !== undefined && <Fact name="Whole run" value={whole} />}
      </dl>
      <NextActions session={session} shown={shown} />
    </section>
  );
}

function Fact({ name, value, dot }: { name: string; value: string; dot?: string }) {
  return (
    <div className="flex items-center gap-1.5">
      <dt className="flex items-center gap-1.5 text-ink-2">
        {dot !== undefined && (
          <span aria-hidden className={`size-1.5 rounded-full forced-color-adjust-none ${dot}`} />
        )}
        {name}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}

function NextActions({ session, shown: { state, turn } }: RunSummaryProps) {
  const hasSteps = state.steps.length > 0;
  const step = state.steps.at(-1)?.step ?? 0;
  // an unfinished run that has only its first step is run again as a whole
  const isUnfinished = state.status !== 'done' && (step > 0 || turn > 0) && !session.shared;
  const canRunFrom = isUnfinished && stepsToRunFrom(session, turn).includes(step);
  const editor = usePlayground((now) => compareScript(now, session));
  const again = editor === 'edited' ? 'Run again with the script in the editor' : 'Run again';
  // without a step, there is nothing that a new run would keep apart
  const runOn = (): void => (hasSteps ? forkAt(session, turn, { step }) : continueRun());
  const lookInside = (): void => {
    usePlayground.setState({ inspectorOpen: true, tab: 'trace' });
    useInspection.getState().select({ kind: 'step', turn, step });
  };
  return (
    <div className="flex flex-wrap gap-1.5 border-t border-line px-2 py-2 narrow:*:grow narrow:*:px-2">
      {state.status === 'done' && !session.shared && (
        <Button variant="outline" onClick={focusReply}>
          <Reply />
          Reply
        </Button>
      )}
      {canRunFrom && (
        <Button variant="outline" onClick={runOn}>
          {hasSteps ? <GitFork /> : <RotateCw />}
          {step > 0 ? `Run again from step ${step + 1}` : 'Run this turn again'}
          {editor !== 'same' && ' with this run’s script'}
        </Button>
      )}
      {'script' in session.source && editor !== 'other' && (
        <Button variant="outline" onClick={startRun}>
          <Play />
          {session.shared ? 'Run it here' : again}
        </Button>
      )}
      {hasSteps && (
        <Button variant="outline" onClick={lookInside}>
          <PanelRight />
          Look inside
        </Button>
      )}
    </div>
  );
}

function focusReply(): void {
  document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Reply"]')?.focus();
}
