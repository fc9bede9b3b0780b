import type { ReactNode } from 'react';
import { useInspection } from '../../state/inspection.ts';
import type { ShownRun } from '../../state/shown-run.ts';
import { visibleText } from '../../ui/visible-text.ts';

type StepRowProps = {
  turn: number;
  /** The agent; missing for the run itself. */
  path: string | undefined;
  /** Undefined if no request has had it yet. */
  step: number | undefined;
  shown: ShownRun;
  /** At the end of the row. */
  children: ReactNode;
};

/** A row's step, which a press opens in the inspector, with facts at the end of the row. */
export function StepRow({ turn, path, step, shown, children }: StepRowProps) {
  const run = turn === shown.turn ? shown.state : shown.earlier[turn]?.state;
  const agent = path === undefined ? undefined : run?.agents.findLast((each) => each.path === path);
  const label = [
    ...(shown.turn > 0 ? [`Turn ${turn + 1}`] : []),
    ...(path === undefined ? [] : [visibleText(agent?.name ?? 'agent')]),
    step === undefined ? 'Not sent yet' : `Step ${step + 1}`,
  ].join(' · ');
  return (
    <p className="flex min-h-6 items-center gap-2 text-sm">
      {step === undefined ? (
        <span className="text-ink-2">{label}</span>
      ) : (
        <button
          type="button"
          className="min-h-6 min-w-0 truncate text-left text-text-kind hover:underline narrow:min-h-11 narrow:min-w-11"
          onClick={() => useInspection.getState().select({ kind: 'step', turn, agent: path, step })}
        >
          {label}
        </button>
      )}
      <span className="ml-auto shrink-0 text-ink-3">{children}</span>
    </p>
  );
}
