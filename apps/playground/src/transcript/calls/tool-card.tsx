import type { ToolCallState } from '@cueline/core';
import { clsx } from 'clsx';
import { Pencil, Wrench } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { ResponseLine } from '../../approval/response-line.tsx';
import type { Selection } from '../../state/inspection.ts';
import type { Pending } from '../../state/pending.ts';
import type { RunClock } from '../../state/run-clock.ts';
import type { TaskVerdict } from '../../tasks/verdicts.ts';
import { Chevron } from '../../ui/chevron.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useSelectable } from '../use-selectable.ts';
import { CallData } from './call-data.tsx';
import { callStatus, isCallRefused } from './call-status.ts';
import { CallDuration, CallSummary } from './call-summary.tsx';
import { SubCalls } from './sub-calls.tsx';

const EDITED = 'Edited';

/**
 * One tool call, folded to a line: name, key arguments, result, time. `clock` is missing unless the run is in progress.
 */
export function ToolCard({
  call,
  selection,
  pending,
  verdict,
  clock,
  actions,
  children,
}: {
  call: ToolCallState;
  /** What a press on the card selects, if anything. */
  selection?: Selection | undefined;
  /** Its approval or client tool call, and the response. */
  pending: Pending | undefined;
  /** The task list's decision about the result that the call handed in. */
  verdict?: TaskVerdict | undefined;
  clock: RunClock | undefined;
  /** The actions of the call, shown with its details. */
  actions?: ReactNode;
  /** The agents that its function has called. */
  children?: ReactNode;
}) {
  const response = pending?.response;
  const isRefused = isCallRefused(pending);
  const failed = call.state === 'output-error' && !isRefused;
  const [choice, setOpen] = useState<boolean>();
  const open = choice ?? failed;
  const status = callStatus(call, pending, verdict);
  const beside = status.label.length + (call.edited === true ? EDITED.length + 4 : 0);
  const element = useRef<HTMLElement>(null);
  const row = useSelectable(element, selection);
  return (
    <section
      ref={element}
      role="group"
      aria-label={`Tool ${visibleText(call.toolName)}`}
      data-tool={call.toolName}
      data-state={call.state}
      data-verdict={verdict?.kind}
      data-selected={row.isSelected || undefined}
      className={clsx(
        '@container overflow-hidden rounded-lg border bg-panel data-selected:border-focus',
        failed ? 'border-danger-line' : verdict?.kind === 'refused' ? 'border-warn/40' : 'border-line',
        // a run that is over, or a moment of it, has nothing new
        clock !== undefined && 'animate-[rise_160ms_var(--ease-out)]',
      )}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          row.select();
        }}
        className="flex min-h-9 w-full min-w-0 flex-wrap items-center gap-x-2 px-2.5 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2 narrow:min-h-11 narrow:py-2"
      >
        <span className="flex max-w-[calc(100%-150px)] min-w-0 items-center gap-2 narrow:max-w-full">
          <Chevron open={open} />
          <Wrench className="size-3.5 shrink-0 text-tool" />
          <bdi
            title={visibleText(call.toolName)}
            className="min-w-0 truncate font-mono text-sm font-medium narrow:wrap-anywhere narrow:whitespace-normal"
          >
            {visibleText(call.toolName)}
          </bdi>
        </span>
        <CallSummary call={call} quiet={isRefused} verdict={verdict} beside={beside} />
        <span className="ml-auto flex shrink-0 items-center gap-2 pl-2 text-sm">
          {call.edited === true && (
            <span className="flex items-center gap-1 text-ink-2">
              <Pencil aria-hidden className="size-3" /> {EDITED}
            </span>
          )}
          <span className={clsx('flex items-center gap-1', status.className)}>
            <status.Icon className={clsx('size-3.5', status.spins && 'animate-spin')} />
            {status.label}
          </span>
          <CallDuration call={call} clock={clock} />
        </span>
      </button>
      {response !== undefined && <ResponseLine response={response} />}
      {call.subCalls !== undefined && <SubCalls subCalls={call.subCalls} clock={clock} />}
      {Boolean(children) && (
        <div className="grid grid-cols-[minmax(0,1fr)] divide-y divide-line border-t border-line">
          {children}
        </div>
      )}
      {open && <Details call={call} actions={actions} />}
    </section>
  );
}

function Details({ call, actions }: { call: ToolCallState; actions: ReactNode }) {
  return (
    <div className="border-t border-line bg-raised px-3 py-1.5">
      <CallData call={call} />
      {Boolean(actions) && <div className="pt-2 pb-1 empty:hidden">{actions}</div>}
    </div>
  );
}
