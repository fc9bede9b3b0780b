import type { ErrorSource, RunEvent, ToolCallState } from '@cueline/core';
import type { Pending } from '../../state/pending.ts';
import { interruptedSpans } from '../../transcript/run-times.ts';
import { formatDuration } from '../../ui/format.ts';

/** A fact about a call. */
export type CallRow = { name: string; value: string };

const sources: Record<ErrorSource, string> = {
  cueline: 'Cueline',
  model: 'The model or its provider',
  tool: 'The tool’s own code',
  prompt: 'The prompt function',
  hook: 'A hook or callback',
  validation: 'A task’s validation',
  unknown: 'Unknown code',
};

/**
 * The events of a call, in order, and each `run-resume` after the first of them. A later step may use its id again,
 * so the search begins at the call's own step.
 */
export function eventsOfCall(
  log: readonly RunEvent[],
  { toolCallId }: Pick<ToolCallState, 'toolCallId'>,
  { path, start, until }: { path: string | undefined; start: number; until: number },
): RunEvent[] {
  const events: RunEvent[] = [];
  for (let index = start; index <= until && index < log.length; index += 1) {
    const event = log[index]!;
    if (event.type === 'run-resume' && events.length > 0) events.push(event);
    if (event.agent !== path || !('toolCallId' in event) || event.toolCallId !== toolCallId) continue;
    // the arguments of another call
    if (event.type === 'tool-input-start' && events.length > 0) break;
    events.push(event);
  }
  return events;
}

/** The facts about a call besides its input and output. */
export function rowsOfCall(
  call: ToolCallState,
  events: readonly RunEvent[],
  pending: Pending | undefined,
  task: string | undefined,
): CallRow[] {
  const rows: (CallRow | undefined)[] = [
    ...timesOfCall(call, events),
    call.repeated === true
      ? { name: 'Repeated', value: 'The tool did not run: the output is from an earlier identical call' }
      : undefined,
    ...approvalRows(events, pending),
    ...factRows(events),
    task === undefined ? undefined : { name: 'Task', value: task },
    { name: 'Call id', value: call.toolCallId },
  ];
  return rows.filter((row) => row !== undefined);
}

/**
 * How long the arguments took, how long the call then waited, and how long it ran: before the run was interrupted,
 * and from its last start on.
 */
function timesOfCall(call: ToolCallState, events: readonly RunEvent[]): CallRow[] {
  const { calledAt, startedAt, finishedAt, ms } = call;
  const writtenAt = events.find(({ type }) => type === 'tool-input-end')?.t;
  const rows: CallRow[] = [{ name: 'Called', value: `at ${formatDuration(calledAt)}` }];
  if (writtenAt !== undefined) {
    rows.push({ name: 'Arguments', value: `written in ${formatDuration(writtenAt - calledAt)}` });
  }
  const interrupted = interruptedSpans(events, events[0]?.agent)
    .filter(({ start }) => startedAt !== undefined && start < startedAt)
    .reduce((sum, { start, end }) => sum + end - start, 0);
  if (writtenAt !== undefined && startedAt !== undefined) {
    rows.push({ name: 'Waited', value: formatDuration(Math.max(0, startedAt - writtenAt - interrupted)) });
  }
  if (interrupted > 0) rows.push({ name: 'Interrupted', value: `after ${formatDuration(interrupted)}` });
  const ran =
    ms ?? (startedAt === undefined || finishedAt === undefined ? undefined : finishedAt - startedAt);
  if (ran !== undefined && startedAt !== undefined) rows.push({ name: 'Ran', value: formatDuration(ran) });
  return rows;
}

function approvalRows(events: readonly RunEvent[], pending: Pending | undefined): (CallRow | undefined)[] {
  const automatic = events.find((event) => event.type === 'approval-automatic');
  const rows: (CallRow | undefined)[] = [];
  if (automatic !== undefined) {
    const { approved, reason } = automatic;
    rows.push({
      name: 'Approval',
      value: `${approved ? 'Approved' : 'Refused'} by the script${because(reason)}`,
    });
  }
  if (pending === undefined) return rows;
  const { requestedAt, response, withdrawn } = pending;
  const isApproval = 'approvalId' in pending;
  const asked = `asked at ${formatDuration(requestedAt)}`;
  return [
    ...rows,
    {
      name: isApproval ? 'Approval' : 'Answer of the page',
      value: `${responseLabel(response, withdrawn)}, ${asked}`,
    },
    isApproval && pending.reason !== undefined ? { name: 'Reason', value: pending.reason } : undefined,
  ];
}

function responseLabel(response: Pending['response'], withdrawn: true | undefined): string {
  if (response === undefined) return withdrawn === true ? 'Withdrawn' : 'Not answered yet';
  if ('output' in response) return 'Given';
  if ('error' in response) return `Failed: ${response.error}`;
  if (!response.approved) return `Refused${because(response.reason)}`;
  return response.input === undefined ? 'Approved' : 'Approved, with other arguments';
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}

const effects: Record<string, string> = {
  read: 'Only reads',
  write: 'Changes something',
  external: 'Has an effect outside',
};

function factRows(events: readonly RunEvent[]): (CallRow | undefined)[] {
  let effect: string | undefined;
  let source: string | undefined;
  let byProvider = false;
  for (const event of events) {
    if (event.type === 'tool-start' && event.effect !== undefined) effect = effects[event.effect];
    if (event.type === 'tool-error' || event.type === 'tool-input-end') source ??= sourceLabel(event.source);
    if ('providerExecuted' in event && event.providerExecuted) byProvider = true;
  }
  return [
    effect === undefined ? undefined : { name: 'Effect', value: effect },
    byProvider ? { name: 'Run by', value: 'The provider' } : undefined,
    source === undefined ? undefined : { name: 'Error from', value: source },
  ];
}

/** Where an error comes from, in words. */
function sourceLabel(source: unknown): string | undefined {
  return typeof source === 'string' && Object.hasOwn(sources, source)
    ? sources[source as ErrorSource]
    : undefined;
}
