import { isPending, type AgentState } from '@cueline/core';
import { clsx } from 'clsx';
import { Ban, Bot, Check, CircleAlert, FoldVertical, LoaderCircle, Pause } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { ResponseLine } from '../approval/response-line.tsx';
import type { Selection } from '../state/inspection.ts';
import type { Pending } from '../state/pending.ts';
import type { RunClock } from '../state/run-clock.ts';
import { Chevron } from '../ui/chevron.tsx';
import { plural } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';
import { phaseLabel } from './announcement.ts';
import { CallDuration, CallSummary } from './calls/call-summary.tsx';
import type { InnerItem } from './transcript-item.ts';
import { useSelectable } from './use-selectable.ts';

type AgentCardProps = {
  agent: AgentState;
  /** The call that it answers as a tool, or a placeholder if it answers none. */
  call: Parameters<typeof CallSummary>[0]['call'];
  /** What a press on the card selects, if anything. */
  selection?: Selection | undefined;
  /** The approval or the client tool call, and its response. */
  pending?: Pending | undefined;
  variant?: InnerItem['variant'];
  clock: RunClock | undefined;
  /** Draws the agent's rows; called only while they are shown. */
  children: () => ReactNode;
};

type StatusLabel = { label: string; more?: string; className: string; Icon: typeof Check; spins?: boolean };

/** An agent's card: open while it works, unless several work side by side; one line once it is done. */
export function AgentCard(props: AgentCardProps) {
  const { call, agent, selection, pending, variant = 'card', clock, children } = props;
  const works = agent.status === 'running';
  const name = visibleText(call.toolName);
  const [choice, setOpen] = useState<boolean>();
  const open = choice ?? (works && variant !== 'line');
  const isInside = variant === 'inside' || variant === 'line';
  const status = statusLabelOf(agent, pending !== undefined && isPending(pending));
  const element = useRef<HTMLElement>(null);
  const row = useSelectable(element, selection);
  return (
    <section
      ref={element}
      data-selected={row.isSelected || undefined}
      role="group"
      aria-label={`Agent ${name}`}
      data-agent={call.toolName}
      data-state={agent.status}
      className={clsx(
        '@container overflow-hidden data-selected:border-focus',
        !isInside && 'rounded-lg border bg-panel',
        !isInside && clock !== undefined && 'animate-[rise_160ms_var(--ease-out)]',
        agent.status === 'error' ? 'border-danger-line' : 'border-line',
      )}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          row.select();
        }}
        className={clsx(
          'flex w-full min-w-0 flex-wrap items-center gap-x-2 py-1.5 pr-2.5 text-left hover:bg-hover focus-visible:-outline-offset-2',
          'narrow:min-h-11 narrow:py-2',
          isInside ? 'min-h-8 pl-5 narrow:pl-3.5' : 'min-h-9 pl-2.5',
        )}
      >
        <span className="flex max-w-[calc(100%-150px)] min-w-0 items-center gap-2 narrow:max-w-full">
          <Chevron open={open} />
          {variant === 'summary' ? (
            <>
              <FoldVertical aria-hidden className="size-3.5 shrink-0 text-thinking" />
              <span className="shrink-0 font-medium">
                Summary<span className="narrow:hidden"> of the conversation so far</span>
              </span>
            </>
          ) : (
            <>
              <Bot aria-hidden className="size-3.5 shrink-0 text-thinking" />
              <bdi
                title={name}
                className="min-w-0 truncate font-mono text-sm font-medium narrow:wrap-anywhere narrow:whitespace-normal"
              >
                {name}
              </bdi>
            </>
          )}
        </span>
        <CallSummary call={variant === 'summary' ? { ...call, input: undefined } : call} />
        {!works && agent.steps.length > (variant === 'card' ? 0 : 1) && (
          <span className="shrink-0 text-sm text-ink-3 narrow:hidden">
            {plural(agent.steps.length, 'step')}
          </span>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-2 pl-2 text-sm">
          <span className={clsx('flex items-center gap-1', status.className)}>
            <status.Icon className={clsx('size-3.5', status.spins && 'animate-spin')} />
            <span>
              {status.label}
              {status.more !== undefined && <span className="narrow:hidden">{status.more}</span>}
            </span>
          </span>
          <CallDuration call={call} clock={clock} />
        </span>
      </button>
      {pending?.response !== undefined && <ResponseLine response={pending.response} />}
      {open && (
        <div
          className="border-t border-line bg-page py-3 pr-3 pl-3"
          // the end of the agent must not remove what the user works in
          onFocus={() => setOpen(true)}
        >
          <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5 border-l-2 border-thinking/40 pl-3">
            {children()}
          </div>
        </div>
      )}
    </section>
  );
}

function statusLabelOf(agent: AgentState, asks: boolean): StatusLabel {
  switch (agent.status) {
    case 'done':
      return { label: 'Done', className: 'text-ok', Icon: Check };
    case 'error':
      return { label: 'Failed', className: 'text-danger', Icon: CircleAlert };
    case 'stopped':
      return { label: 'Stopped', className: 'text-ink-2', Icon: Ban };
    case 'running':
      if (asks) return { label: 'Waiting for you', className: 'text-warn', Icon: Pause };
      return { ...phaseLabelOf(agent.phase), className: 'text-tool', Icon: LoaderCircle, spins: true };
    default:
      return { label: 'Working', className: 'text-tool', Icon: LoaderCircle, spins: true };
  }
}

/** A phone has no room for the name of the waiting agent; the card below names it. */
function phaseLabelOf(phase: keyof typeof phaseLabel): Pick<StatusLabel, 'label' | 'more'> {
  return phase === 'requesting'
    ? { label: 'Waiting', more: ' for the model' }
    : { label: capital(phaseLabel[phase]) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
