import type { AgentState, RunState, ToolCallState } from '@cueline/core';
import type { UIMessage } from 'ai';
import type { Pending } from '../../state/pending.ts';
import { groupBy } from '../../ui/data/group-by.ts';

/** A call, and the run that has its approval and its agents. */
export type KnownCall = {
  call: ToolCallState;
  run: Pick<RunState, 'runId' | 'agents' | 'approvals' | 'clientToolCalls'>;
};

/** Calls by their ids, in the order in which they were made: a model may use an id again. */
export type CallQueue = ReadonlyMap<string, KnownCall[]>;

/** Calls that {@link nextCall} returns one by one. */
export function createCallQueue(calls: readonly KnownCall[]): CallQueue {
  return groupBy(calls, ({ call }) => call.toolCallId);
}

/** The next call of this id; the last one stays. */
export function nextCall(calls: CallQueue, toolCallId: string): KnownCall | undefined {
  const same = calls.get(toolCallId) ?? [];
  return same.length > 1 ? same.shift() : same[0];
}

/** The approval or client tool call of a call under `path`. */
export function pendingFor(
  { call: { toolCallId, calledAt, finishedAt = Infinity }, run }: KnownCall,
  path: string | undefined,
): Pending | undefined {
  const isOfCall = ({ agent, requestedAt }: Pending): boolean =>
    agent === path && requestedAt >= calledAt && requestedAt <= finishedAt;
  // the last one: the run asks again about arguments that do not fit
  return (
    groupsOf(run.approvals, byCall).get(toolCallId)?.findLast(isOfCall) ??
    groupsOf(run.clientToolCalls, byCall).get(toolCallId)?.findLast(isOfCall)
  );
}

/** The agents at work on a call: `own` is the call's tool itself, `inner` are those that its function has called. */
export type AgentsOfCall = { own: AgentState | undefined; inner: readonly AgentState[] };

const noAgents: AgentsOfCall = { own: undefined, inner: [] };

/** The agents of a call: those with its path, or with its path and a number if the id was used before. */
export function agentsOf(
  { call: { toolCallId, toolName, calledAt, finishedAt = Infinity }, run }: KnownCall,
  path: string | undefined,
): AgentsOfCall {
  const known = groupsOf(run.agents, byCall).get(toolCallId);
  if (known === undefined) return noAgents;
  const agents = known.filter((agent) => {
    if (parentOf(agent) !== path) return false;
    // an agent that has just begun belongs to a call that is still running
    const { startedAt = agent.status === 'running' ? Infinity : calledAt } = agent.steps[0] ?? {};
    return startedAt >= calledAt && startedAt <= finishedAt;
  });
  // a function may call several agents with its tool's name, but a tool that is an agent has exactly one
  const named = agents.filter(({ name }) => name === toolName);
  const own = named.length === 1 ? named[0] : undefined;
  return { own, inner: own === undefined ? agents : agents.filter((agent) => agent !== own) };
}

/** The agents below `path` that belong to none of these calls. */
export function agentsBeside(
  { agents }: KnownCall['run'],
  path: string | undefined,
  calls: CallQueue,
): AgentState[] {
  const below = groupsOf(agents, parentOf).get(path) ?? [];
  return below.filter((agent) => !calls.has(agent.toolCallId));
}

/** The path of an agent's parent; undefined for the run itself. */
function parentOf({ path, toolCallId }: AgentState): string | undefined {
  // a repeated id has a number after it
  const plain = path.endsWith(toolCallId) ? path : path.replace(/~[^/]*$/, '');
  return plain === toolCallId ? undefined : plain.slice(0, -toolCallId.length - 1);
}

const byCall = ({ toolCallId }: { toolCallId: string }): string => toolCallId;

type Groups = Map<string | undefined, unknown[]>;
/** By lists of a state. These lists never change, so each is read once, and not for every call. */
const groupings = new WeakMap<object, Map<unknown, Groups>>();

/** The items of a list, in order, grouped by `keyOf`. */
function groupsOf<Item extends object>(
  list: readonly Item[],
  keyOf: (item: Item) => string | undefined,
): ReadonlyMap<string | undefined, Item[]> {
  let ofList = groupings.get(list);
  if (ofList === undefined) groupings.set(list, (ofList = new Map()));
  let groups = ofList.get(keyOf);
  if (groups === undefined) {
    groups = groupBy(list, keyOf);
    ofList.set(keyOf, groups);
  }
  // groups of this list's own items
  return groups as ReadonlyMap<string | undefined, Item[]>;
}

/** A call that is known only from the message, such as a call of an imported conversation. */
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

/** A placeholder for the call of an agent that answers none as a tool: its input, and its result. */
export function callOfAgent(agent: AgentState): ToolCallState {
  const { toolCallId, name = 'agent', steps, status, input, output = agent.text } = agent;
  const startedAt = steps[0]?.startedAt;
  const finishedAt = status === 'running' ? undefined : steps.at(-1)?.finishedAt;
  return {
    toolCallId,
    toolName: name,
    step: 0,
    state: statesOfAgents[status],
    inputText: '',
    input,
    ...(status === 'done' ? { output } : {}),
    ...(status === 'error' ? { errorText: agent.error.message } : {}),
    calledAt: startedAt ?? 0,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
  };
}

const statesOfAgents: Record<AgentState['status'], ToolCallState['state']> = {
  idle: 'running',
  running: 'running',
  waiting: 'running',
  done: 'output-available',
  error: 'output-error',
  stopped: 'interrupted',
};
