import { withoutUndefined } from '../base/without-undefined.ts';
import { createAgentReducer, emptyFields, type AgentReducer } from './agent-reducer.ts';
import type { RunEvent, TokenUsage } from './events.ts';
import { lastIndexOfId, type IdIndex } from './id-index.ts';
import { hasPending, isPending, withdrawPending } from './pending.ts';
import type {
  AgentFields,
  ApprovalState,
  ClientToolCallState,
  CommonFields,
  RunFields,
  RunState,
  StepState,
} from './state.ts';
import { addUsage } from './step.ts';

/** The state of a run that has not started. */
export const initialState: RunState = {
  ...emptyFields,
  runId: '',
  seq: -1,
  simulated: false,
  approvals: [],
  clientToolCalls: [],
  agents: [],
  elapsed: 0,
  queued: 0,
  replaying: false,
  status: 'idle',
};

/**
 * Turns events into states. Each event costs the same however long the run is: the reducer copies what it
 * touches once between two snapshots and then writes in place. A snapshot is immutable and shares whatever did
 * not change.
 */
export type Reducer = {
  /** Applies the next event. Events after the end of the run, or of their agent, change nothing. */
  apply(event: RunEvent): void;
  /** Returns the state after all events so far; the same object until the next event. */
  snapshot(): RunState;
};

/** True from a run's start to its end, also while it waits for a response. */
export function isInProgress(state: Pick<RunState, 'status' | 'approvals' | 'clientToolCalls'>): boolean {
  // a log that ended as waiting has nothing pending that could be answered here
  return state.status === 'running' || (state.status === 'waiting' && hasPending(state));
}

/** An agent's index in the list, and its reducer once an event is applied to it. */
type AgentEntry = { position: number; reducer?: AgentReducer<AgentFields> };

/** A run's state while it is written. */
type RunDraft = {
  run: AgentReducer<RunFields>;
  /** By path; the last one, if a model repeats a call's id. */
  agents: Map<string | undefined, AgentEntry>;
  /** The agents that have changed since the last snapshot. */
  touched: Set<AgentEntry>;
  approvals: IdIndex<ApprovalState>;
  clientToolCalls: IdIndex<ClientToolCallState>;
};

/**
 * Creates a reducer that continues `state`, which must come from {@link reduce}, from a reducer, or be the initial
 * one.
 */
export function createReducer(state: RunState = initialState): Reducer {
  let latest: RunState | undefined = state;
  let draft = createDraft(state);

  return {
    apply(event) {
      if (event.type === 'run-start') draft = beginRun(event);
      // events after the end of a run or an agent are ignored
      else if (draft.run.hasEnded()) return;
      latest = undefined;
      const { fields } = draft.run;
      fields.seq = event.seq;
      fields.elapsed = event.t;
      apply(draft, event);
    },
    snapshot: () => (latest ??= snapshotOf(draft)),
  };
}

type Answer = Parameters<typeof createAgentReducer>[1];

function createDraft(state: RunFields, answer?: Answer): RunDraft {
  return {
    run: createAgentReducer<RunFields>(state, answer),
    agents: new Map(state.agents.map(({ path }, position) => [path, { position }])),
    touched: new Set(),
    approvals: { key: 'approvalId' },
    clientToolCalls: { key: 'clientCallId' },
  };
}

function snapshotOf({ run, touched }: RunDraft): RunState {
  const { fields } = run;
  for (const { position, reducer } of touched)
    (fields.agents = run.writable(fields.agents))[position] = reducer!.snapshot();
  touched.clear();
  return run.snapshot(hasPending(fields));
}

function apply(draft: RunDraft, event: RunEvent): void {
  const { run } = draft;
  const { fields } = run;
  switch (event.type) {
    case 'run-start':
      return;
    case 'run-resume': {
      const { runId, model, simulated = false } = event;
      Object.assign(fields, { runId, model, simulated });
      return run.resume();
    }
    case 'run-end':
      return endRun(draft, event);
    case 'agent-start':
      return beginAgent(draft, event);
    case 'agent-end': {
      const agent = agentAt(draft, event.agent);
      if (agent === undefined) return;
      agent.end(event);
      if (event.output !== undefined) agent.fields.output = event.output;
      return;
    }
    case 'approval-request':
    case 'approval-response':
    case 'approval-withdraw':
      return applyToPending(draft, 'approvals', event.approvalId, event);
    case 'client-tool-request':
    case 'client-tool-claim':
    case 'client-tool-response':
    case 'client-tool-withdraw':
      return applyToPending(draft, 'clientToolCalls', event.clientCallId, event);
    default: {
      const owner = ownerAt(draft, event.agent);
      if (owner === undefined) return;
      const isNew = hasNewTokens(event, owner.fields.steps.at(-1));
      owner.apply(event);
      if (isNew) addTokens(draft, event.agent, event.usage);
    }
  }
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

function beginRun(event: EventOf<'run-start'>): RunDraft {
  const { runId, model, simulated = false, name, messages, messageId, structured } = event;
  return createDraft(
    { ...initialState, runId, model, simulated, messages: [...messages], ...withoutUndefined({ name }) },
    { messageId, structured },
  );
}

function endRun(draft: RunDraft, event: EventOf<'run-end'>): void {
  const { run, agents } = draft;
  run.end(event);
  if (event.outcome === 'waiting') return;
  for (const path of agents.keys()) agentAt(draft, path)?.end({ outcome: 'stopped', t: event.t });
  run.fields.approvals = withdrawPending(run.fields.approvals);
  run.fields.clientToolCalls = withdrawPending(run.fields.clientToolCalls);
}

/** Returns the reducer of the running agent with this path. */
function agentAt(draft: RunDraft, path: string | undefined): AgentReducer<AgentFields> | undefined {
  const entry = draft.agents.get(path);
  if (entry === undefined) return undefined;
  const reducer = (entry.reducer ??= createAgentReducer<AgentFields>(
    draft.run.fields.agents[entry.position]!,
  ));
  if (reducer.hasEnded()) return undefined;
  draft.touched.add(entry);
  return reducer;
}

function beginAgent(draft: RunDraft, event: EventOf<'agent-start'>): void {
  const { agent: path, toolCallId, name, model, input, messages, messageId, t } = event;
  if (path === undefined) return;
  // an earlier agent with the same path cannot continue
  agentAt(draft, path)?.end({ outcome: 'stopped', t });
  const reducer = createAgentReducer<AgentFields>(
    { ...emptyFields, path, toolCallId, name, model, input, messages: [...messages] },
    { messageId },
  );
  const { run } = draft;
  const position = (run.fields.agents = run.writable(run.fields.agents)).push(reducer.snapshot()) - 1;
  draft.agents.set(path, { position, reducer });
}

/** Returns the reducer of the run itself, or of its running agent with this path. */
function ownerAt(draft: RunDraft, path: string | undefined): AgentReducer<CommonFields> | undefined {
  return path === undefined ? draft.run : agentAt(draft, path);
}

/**
 * True for an event with tokens. Those of a step count when its answer is whole, if the log says so, or when it ends.
 */
function hasNewTokens(
  event: RunEvent,
  step: StepState | undefined,
): event is EventOf<'model-call-end' | 'step-end' | 'retry'> {
  if (event.type === 'model-call-end' || event.type === 'step-end') return step?.usage === undefined;
  return event.type === 'retry';
}

/** Adds the tokens of an agent's model call to the agent, to every agent above it, and to the run. */
function addTokens(draft: RunDraft, path: string | undefined, usage: TokenUsage | undefined): void {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/'))) || undefined) {
    const owner = ownerAt(draft, at);
    if (owner !== undefined) owner.fields.usage = addUsage(owner.fields.usage, usage);
    if (at === undefined) return;
  }
}

type PendingItem = ApprovalState | ClientToolCallState;
type PendingEvent = Extract<RunEvent, { approvalId: string } | { clientCallId: string }>;
/** The lists of a run's fields with items that may be pending, without what tells their items apart. */
type PendingLists = Record<'approvals' | 'clientToolCalls', PendingItem[]>;

/**
 * Adds a requested item, or changes one that is pending: only the first response counts, and so does a withdrawal.
 */
function applyToPending(draft: RunDraft, list: keyof PendingLists, id: string, event: PendingEvent): void {
  const { run } = draft;
  const lists: PendingLists = run.fields;
  const position = lastIndexOfId(draft[list] as IdIndex<PendingItem>, lists[list], id) ?? -1;
  const item = lists[list][position];
  // an answer names its approval, but not the call
  if (list === 'approvals') ownerAt(draft, event.agent)?.apply(event, item?.toolCallId);
  if (event.type === 'approval-request' || event.type === 'client-tool-request') {
    const { type: _type, seq: _seq, t: requestedAt, ...request } = event;
    (lists[list] = run.writable(lists[list])).push({ ...request, requestedAt });
    return;
  }
  if (item === undefined || !isPending(item)) return;
  (lists[list] = run.writable(lists[list]))[position] = { ...item, ...changeOf(event) };
}

/** Returns the members that an event after the request sets. */
function changeOf(event: PendingEvent): object {
  switch (event.type) {
    case 'approval-response':
    case 'client-tool-response':
      return { response: event.response };
    case 'client-tool-claim':
      return { page: event.page };
    default:
      return { withdrawn: true };
  }
}

/**
 * Returns the state after one more event. Pure: `state` is not changed, and unchanged parts are shared with the
 * result.
 */
export function reduce(state: RunState, event: RunEvent): RunState {
  const reducer = createReducer(state);
  reducer.apply(event);
  return reducer.snapshot();
}

/** Returns the state after a whole log. */
export function reduceAll(events: Iterable<RunEvent>): RunState {
  const reducer = createReducer();
  for (const event of events) reducer.apply(event);
  return reducer.snapshot();
}
