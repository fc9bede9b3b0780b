import type { AgentState, RunState, ToolCallState } from '@cueline/core';
import { pendingId, type Pending } from '../state/pending.ts';
import { isCallRefused } from '../transcript/calls/call-status.ts';
import { agentsOf } from '../transcript/calls/known-calls.ts';
import { callKey, type LogTimes } from './log-times.ts';
import type { Segment, TimelineRow } from './timeline-row.ts';

/** The position of a call in the timeline, and the functions that add the rows of its agents. */
export type CallContext = {
  rows: TimelineRow[];
  state: RunState;
  times: LogTimes;
  turn: number;
  path: string | undefined;
  level: number;
  /** The approvals and client tool calls of the run, by the ids of their tool calls. */
  pending: ReadonlyMap<string, readonly Pending[]>;
  /** The end of the step or agent that made the call; missing while it is in progress. */
  end: number | undefined;
  addAgent(agent: AgentState): void;
  addSteps(agent: AgentState): void;
};

/** Adds a call: its bar, and below it approvals, the calls inside it, and the steps of its agents. */
export function addCall(context: CallContext, call: ToolCallState, key: string): void {
  const { rows, state, turn, path, level } = context;
  const { own, inner } = agentsOf({ call, run: state }, path);
  const { toolCallId, toolName, step, calledAt: start, errorText } = call;
  const end = call.finishedAt ?? (call.state === 'output-error' ? inputEndOf(context, call) : context.end);
  const failed = call.state === 'output-error';
  const waits = waitsOf(context, call, end);
  const index = rows.length;
  const row: TimelineRow = {
    key,
    level,
    kind: own === undefined ? 'call' : 'agent',
    label: toolName,
    ...(errorText === undefined ? {} : { detail: errorText }),
    start,
    end,
    segments: callSegments(context, call, waits, end),
    failed,
    hasChildren: false,
    selection: { kind: 'call', turn, agent: path, step, toolCallId },
    isItself: true,
  };
  rows.push(row);
  const part = { level: level + 1, selection: row.selection, isItself: false, hasChildren: false } as const;
  for (const [at, wait] of waits.entries()) {
    const { label, detail, refused } = wait;
    rows.push({
      ...part,
      key: `${key} wait ${at}`,
      kind: 'approval',
      label,
      detail,
      start: wait.start,
      end: wait.end,
      segments: [{ kind: 'asking', start: wait.start, end: wait.end }],
      failed: refused,
    });
  }
  for (const [at, subCall] of (call.subCalls ?? []).entries()) {
    const { startedAt, ms } = subCall;
    const subEnd = ms === undefined ? end : startedAt + ms;
    const isError = subCall.state === 'output-error';
    rows.push({
      ...part,
      key: `${key} sub-call ${at}`,
      kind: 'sub-call',
      label: subCall.name,
      ...(subCall.errorText === undefined ? {} : { detail: subCall.errorText }),
      start: startedAt,
      end: subEnd,
      segments: [{ kind: isError ? 'failed' : 'running', start: startedAt, end: subEnd }],
      failed: isError,
    });
  }
  for (const agent of inner) context.addAgent(agent);
  if (own !== undefined) context.addSteps(own);
  if (rows.length > index + 1) rows[index] = { ...row, hasChildren: true };
}

/** When the call's arguments were complete; undefined while they arrive. */
function inputEndOf({ times, path }: CallContext, call: ToolCallState): number | undefined {
  const { calledAt, finishedAt = Infinity } = call;
  const ends = times.inputEnds.get(callKey(path, call.toolCallId));
  return ends?.find((t) => t >= calledAt && t <= finishedAt);
}

type Wait = { start: number; end: number | undefined; label: string; detail: string; refused: boolean };

/** The times for which a call waited for a person or for the page. */
function waitsOf(
  { pending, times, path }: CallContext,
  call: ToolCallState,
  callEnd: number | undefined,
): Wait[] {
  const { toolCallId, calledAt, finishedAt = Infinity } = call;
  const asked = (pending.get(toolCallId) ?? []).filter(
    ({ agent, requestedAt }) => agent === path && requestedAt >= calledAt && requestedAt <= finishedAt,
  );
  return asked.map((one) => {
    const { requestedAt: start, response, withdrawn } = one;
    const refused = isCallRefused(one);
    const answer = refused ? 'Refused' : 'approvalId' in one ? 'Approved' : 'Answered';
    const detail = withdrawn ? 'Withdrawn' : response === undefined ? 'Waiting' : answer;
    const claim = 'clientCallId' in one ? times.claims.get(one.clientCallId) : undefined;
    const end = claim ?? times.answers.get(pendingId(one)) ?? callEnd;
    return { start, end, label: 'approvalId' in one ? 'Approval' : 'Wait for the page', detail, refused };
  });
}

/** The writing of the arguments, the waits, and the time for which the tool ran. */
function callSegments(
  context: CallContext,
  call: ToolCallState,
  waits: readonly Wait[],
  end: number | undefined,
): Segment[] {
  const { calledAt, startedAt } = call;
  const written = inputEndOf(context, call) ?? startedAt ?? end;
  const segments: Segment[] = [
    { kind: 'arguments', start: calledAt, end: written },
    ...interruptedSegments(context, call),
  ];
  const kind = call.state === 'output-error' ? 'failed' : 'running';
  if (startedAt !== undefined) segments.push({ kind, start: startedAt, end });
  // a call that a provider or a page runs has no separate start
  else if (written !== undefined && call.finishedAt !== undefined) {
    segments.push({ kind, start: waits.at(-1)?.end ?? written, end });
  }
  for (const wait of waits) segments.push({ kind: 'asking', start: wait.start, end: wait.end });
  return segments;
}

/**
 * When a call ran before it was interrupted and ran again. An example is an agent whose first steps a fork has kept.
 */
function interruptedSegments(
  { times, path }: CallContext,
  { toolCallId, calledAt, startedAt }: ToolCallState,
): Segment[] {
  if (startedAt === undefined) return [];
  const starts = times.starts.get(callKey(path, toolCallId)) ?? [];
  return starts
    .filter((start) => start >= calledAt && start < startedAt)
    .map((start) => ({ kind: 'running', start, end: times.resumes.find((at) => at >= start) ?? startedAt }));
}
