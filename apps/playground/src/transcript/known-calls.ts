import type { AgentState, RequestState, RunState, ToolCallState } from '@cueline/core';
import type { UIMessage } from 'ai';

/** A call, and the run that knows what else belongs to it. */
export type KnownCall = { call: ToolCallState; run: Pick<RunState, 'agents' | 'requests'> };

/** Calls by their ids, in the order in which they were made: a model may use an id again. */
export type KnownCalls = ReadonlyMap<string, KnownCall[]>;

/** Calls to be taken one by one, with {@link takeCall}. */
export function knownCalls(calls: readonly KnownCall[]): KnownCalls {
  const found = new Map<string, KnownCall[]>();
  for (const known of calls) {
    const { toolCallId } = known.call;
    const same = found.get(toolCallId);
    if (same === undefined) found.set(toolCallId, [known]);
    else same.push(known);
  }
  return found;
}

/** The next call of this id; the last one stays. */
export function takeCall(calls: KnownCalls, toolCallId: string): KnownCall | undefined {
  const same = calls.get(toolCallId) ?? [];
  return same.length > 1 ? same.shift() : same[0];
}

/** What the person was asked about a call of whoever stands under `path`. */
export function requestFor(
  { call: { toolCallId, calledAt, finishedAt = Infinity }, run }: KnownCall,
  path: string | undefined,
): RequestState | undefined {
  // the last: arguments that do not fit are asked for again
  return run.requests.findLast(
    ({ toolCallId: id, agent, openedAt }) =>
      id === toolCallId && agent === path && openedAt >= calledAt && openedAt <= finishedAt,
  );
}

/** The agent that answers a call: that of this path, or of this path with a number where the id was used before. */
export function agentFor(
  { call: { toolCallId, toolName, calledAt, finishedAt = Infinity }, run }: KnownCall,
  path: string | undefined,
): AgentState | undefined {
  const first = path === undefined ? toolCallId : `${path}/${toolCallId}`;
  return run.agents.find((agent) => {
    if (agent.toolCallId !== toolCallId || agent.name !== toolName) return false;
    if (agent.path !== first && !agent.path.startsWith(`${first}~`)) return false;
    const { startedAt = calledAt } = agent.steps[0] ?? {};
    return startedAt >= calledAt && startedAt <= finishedAt;
  });
}

/** A call of which only the message is left, such as one of a conversation that was opened from elsewhere. */
export function callOfPart(part: Extract<UIMessage['parts'][number], { toolCallId: string }>): ToolCallState {
  const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
  const state =
    part.state === 'output-available' || part.state === 'output-error'
      ? part.state
      : ('interrupted' as const);
  return {
    toolCallId: part.toolCallId,
    toolName,
    step: 0,
    state,
    inputText: '',
    input: part.input,
    output: part.output,
    ...(part.errorText === undefined ? {} : { errorText: part.errorText }),
    calledAt: 0,
  };
}
