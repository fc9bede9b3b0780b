import type { RunEvent, ToolCallState } from '@cueline/core';

/** What a task list decided about a result that the model handed in; `unused` if the list did not need it. */
export type TaskVerdict = { kind: 'accepted' | 'unused' } | { kind: 'refused'; reason: string };

/** A `finishTask` call that has not ended; `taskId` once the list has taken its result. */
type OpenCall = { toolCallId: string; startedAt: number; taskId?: string; verdict?: TaskVerdict };

/** How far a log has been read, and what it says. */
type Reading = { next: number; open: Map<string, OpenCall[]>; verdicts: Map<string, TaskVerdict> };

// By log: a log only grows, so each event is read once.
const readings = new WeakMap<readonly RunEvent[], Reading>();

/**
 * Whether the task list accepted the result of a call of `finishTask`, by the events of the log; undefined
 * for other calls, and before the call has ended. `path` is the agent whose call it is.
 */
export function verdictOf(
  log: () => readonly RunEvent[],
  path: string | undefined,
  { toolName, toolCallId, startedAt, finishedAt }: ToolCallState,
): TaskVerdict | undefined {
  if (toolName !== 'finishTask' || startedAt === undefined || finishedAt === undefined) return undefined;
  return read(log()).verdicts.get(keyOf(path, toolCallId, startedAt));
}

function read(log: readonly RunEvent[]): Reading {
  let reading = readings.get(log);
  if (reading === undefined) {
    readings.set(log, (reading = { next: 0, open: new Map(), verdicts: new Map() }));
  }
  for (; reading.next < log.length; reading.next += 1) readEvent(reading, log[reading.next]!);
  return reading;
}

function readEvent({ open, verdicts }: Reading, event: RunEvent): void {
  const agent = event.agent ?? '';
  const calls = open.get(agent) ?? [];
  switch (event.type) {
    case 'tool-start':
      if (event.toolName !== 'finishTask') return;
      calls.push({ toolCallId: event.toolCallId, startedAt: event.t });
      open.set(agent, calls);
      return;
    case 'task-update':
      readUpdate(calls, event);
      return;
    case 'tool-end': {
      const index = calls.findIndex(({ toolCallId }) => toolCallId === event.toolCallId);
      const [call] = index === -1 ? [] : calls.splice(index, 1);
      if (call === undefined) return;
      verdicts.set(keyOf(event.agent, call.toolCallId, call.startedAt), call.verdict ?? { kind: 'unused' });
      return;
    }
    default:
  }
}

function readUpdate(calls: readonly OpenCall[], event: Extract<RunEvent, { type: 'task-update' }>): void {
  const { taskId, by, status, attempts, error } = event;
  if (status === 'validating') {
    const call = calls.find((candidate) => candidate.taskId === undefined);
    if (call !== undefined) call.taskId = taskId;
    return;
  }
  const call = calls.find((candidate) => candidate.taskId === taskId);
  if (call === undefined || by !== 'author' || call.verdict !== undefined) return;
  if (status === 'completed') call.verdict = { kind: 'accepted' };
  else if (attempts !== undefined && typeof error === 'string') {
    call.verdict = { kind: 'refused', reason: error };
  }
}

/** A model may use an id again, so the call's start is part of its key. */
function keyOf(path: string | undefined, toolCallId: string, startedAt: number): string {
  return `${path ?? ''} ${toolCallId} ${startedAt}`;
}
