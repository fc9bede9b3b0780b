import type { SubCallState, ToolCallState } from '@cueline/core';
import { clsx } from 'clsx';
import { Ban, Check, CircleAlert, LoaderCircle } from 'lucide-react';
import { memo, useState } from 'react';
import type { RunClock } from '../../state/run-clock.ts';
import { Chevron } from '../../ui/chevron.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { LiveDuration } from '../../ui/live-duration.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CallData } from './call-data.tsx';
import { CallSummary } from './call-summary.tsx';

/** How many calls are drawn at first; a button draws all. */
const LAST_CALLS = 200;

const statuses: Record<SubCallState['state'], { label: string; className: string; Icon: typeof Check }> = {
  running: { label: 'Running', className: 'text-tool animate-spin', Icon: LoaderCircle },
  'output-available': { label: 'Done', className: 'text-ok', Icon: Check },
  'output-error': { label: 'Failed', className: 'text-danger', Icon: CircleAlert },
  interrupted: { label: 'Interrupted', className: 'text-ink-3', Icon: Ban },
};

type SubCallsProps = { subCalls: readonly SubCallState[]; clock: RunClock | undefined };

/** The calls of a composite tool, in order, while they happen. */
export const SubCalls = memo(function SubCalls({ subCalls, clock }: SubCallsProps) {
  const [all, setAll] = useState(false);
  const first = all ? 0 : Math.max(0, subCalls.length - LAST_CALLS);
  return (
    <div className="scroll max-h-[60vh] border-t border-line py-1">
      {first > 0 && (
        <MoreButton className="min-h-7 pl-8" onMore={() => setAll(true)}>
          Show all {formatCount(subCalls.length)} calls
        </MoreButton>
      )}
      <ol aria-label="Calls inside this call">
        {subCalls.slice(first).map((call, index) => (
          <SubCall key={first + index} call={call} clock={clock} />
        ))}
      </ol>
    </div>
  );
});

type SubCallProps = { call: SubCallState; clock: RunClock | undefined };

const SubCall = memo(function SubCall({ call, clock }: SubCallProps) {
  const { name, state, startedAt, ms } = call;
  const { label, className, Icon } = statuses[state];
  const [open, setOpen] = useState(false);
  return (
    <li data-sub-call={name} data-state={state} className="text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-7 w-full min-w-0 flex-wrap items-center gap-x-2 py-1 pr-2.5 pl-3 text-left hover:bg-hover focus-visible:-outline-offset-2 narrow:min-h-11 narrow:py-2"
      >
        <span className="flex max-w-[calc(100%-72px)] min-w-0 items-center gap-2 narrow:max-w-full">
          <Chevron open={open} className="size-3" />
          <Icon aria-hidden className={clsx('size-3.5 shrink-0', className)} />
          <span className="sr-only">{label}: </span>
          <bdi
            title={visibleText(name)}
            className="min-w-0 truncate font-mono narrow:wrap-anywhere narrow:whitespace-normal"
          >
            {visibleText(name)}
          </bdi>
        </span>
        <CallSummary call={summarized(call)} inset="pl-8.5" />
        <span className="ml-auto shrink-0 pl-2 text-right text-ink-2">
          {ms !== undefined ? (
            formatDuration(ms)
          ) : state === 'running' && clock !== undefined ? (
            <LiveDuration clock={clock} since={startedAt} />
          ) : null}
        </span>
      </button>
      {open && (
        <div className="border-y border-line bg-raised py-1.5 pr-3 pl-8">
          <CallData call={call} />
        </div>
      )}
    </li>
  );
});

/** A call inside another, for the same summary as that of a call. */
function summarized({ name, state, ...rest }: SubCallState): ToolCallState {
  return { ...rest, state, toolName: name, toolCallId: '', step: 0, inputText: '', calledAt: rest.startedAt };
}
