import type { RunEvent, ToolCallState } from '@cueline/core';
import { clsx } from 'clsx';
import { useMemo } from 'react';
import { DefinitionName } from '../../request/definition-name.tsx';
import { useInspection } from '../../state/inspection.ts';
import type { RunClock } from '../../state/run-clock.ts';
import { verdictOf } from '../../tasks/verdicts.ts';
import { CallData } from '../../transcript/calls/call-data.tsx';
import { callStatus } from '../../transcript/calls/call-status.ts';
import { pendingFor } from '../../transcript/calls/known-calls.ts';
import { SubCalls } from '../../transcript/calls/sub-calls.tsx';
import { plural } from '../../ui/format.ts';
import { FactList, Section } from '../../ui/section.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { rangeOfStep } from '../step-events.ts';
import type { StepTarget } from '../target.ts';
import { taskDuring } from '../task-during.ts';
import { eventsOfCall, rowsOfCall, type CallRow } from './call-rows.ts';

type CallViewProps = {
  target: StepTarget & { call: ToolCallState };
  log: readonly RunEvent[];
  /** The clock of the run, for calls that still run. */
  clock: RunClock | undefined;
};

/** A tool call: its input and output as data, and the other facts in the log about it. */
export function CallView({ target, log, clock }: CallViewProps) {
  const { call, run, path, index, turn } = target;
  const rows = useCallRows(target, log);
  const agent = run.agents.findLast(
    ({ toolCallId, path: own }) =>
      toolCallId === call.toolCallId && own.startsWith(path === undefined ? toolCallId : `${path}/`),
  );
  const first = agent?.steps[0];
  const verdict = verdictOf(() => log, path, call);
  const { label, className, Icon } = callStatus(call, pendingFor({ call, run }, path), verdict);
  return (
    <div className="scroll relative min-h-0 flex-1">
      <div className="flex items-center justify-between gap-2 border-b border-line px-4 narrow:px-3 py-1 text-sm">
        <DefinitionName kind="tool" name={call.toolName} isAgent={agent?.name === call.toolName} />
        <span className={clsx('flex shrink-0 items-center gap-1', className)}>
          <Icon aria-hidden className="size-3.5" />
          {label}
        </span>
      </div>
      <div className="border-b border-line px-4 narrow:px-3 py-2">
        <CallData call={call} />
      </div>
      {call.subCalls !== undefined && (
        <Section title="Calls inside" hint={plural(call.subCalls.length, 'call')}>
          <SubCalls subCalls={call.subCalls} clock={clock} />
        </Section>
      )}
      {agent !== undefined && first !== undefined && (
        <Section title="Agent" hint={plural(agent.steps.length, 'step')}>
          <button
            type="button"
            className="text-left text-sm wrap-anywhere text-text-kind underline narrow:min-h-11"
            onClick={() =>
              useInspection.getState().select({ kind: 'step', turn, agent: agent.path, step: first.step })
            }
          >
            Look inside the steps of {visibleText(agent.name ?? 'the agent')}
          </button>
        </Section>
      )}
      <Section title="About this call" hint={`step ${index + 1}`}>
        <FactList rows={rows} />
      </Section>
    </div>
  );
}

/** The facts about a call; read from the log again only if the call changes. */
function useCallRows(
  { call, run, work, path, index }: CallViewProps['target'],
  log: readonly RunEvent[],
): CallRow[] {
  const until = call.finishedAt === undefined ? run.seq : Infinity;
  const start = rangeOfStep(log, path, index, run.seq)?.start ?? 0;
  const events = useMemo(
    () => eventsOfCall(log, call, { path, start, until: Math.min(until, log.length - 1) }),
    [log, call, path, start, until],
  );
  const pending = pendingFor({ call, run }, path);
  const hasTasks = work.tasks.length > 0;
  const calledSeq = events[0]?.seq ?? -1;
  const task = useMemo(
    () => (hasTasks ? taskDuring(log, path, calledSeq) : undefined),
    [log, path, calledSeq, hasTasks],
  );
  return rowsOfCall(call, events, pending, task);
}
