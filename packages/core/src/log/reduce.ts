import type { RunEvent } from './events.ts';
import { lastIndexOfId, type IdIndex } from './id-index.ts';
import type { AgentFacts, ApprovalState, ClientToolCallState, RunFacts, RunState } from './state.ts';
import { addUsage } from './step.ts';
import { createAgentReducer, emptyFacts, type AgentReducer } from './agent-reducer.ts';

/** The state of a run that has not started. */
export const initialState: RunState = {
  ...emptyFacts,
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
 * Turns events into states. Each event costs the same however long the run is: the reducer copies what it touches
 * once between two
 * snapshots and then writes in place. A snapshot is immutable and shares whatever did not change.
 */
export type Reducer = {
  /** Applies the next event. Events after the end of the run, or of their agent, change nothing. */
  apply(event: RunEvent): void;
  /** Returns the state after all events so far; the same object until the next event. */
  snapshot(): RunState;
};

/** An agent's index in the list, and its reducer once an event is applied to it. */
type AgentEntry = { position: number; work?: AgentReducer<AgentFacts> };

/** True for an approval, or a call of a client tool, that waits for its response. */
export function isPending({ response, withdrawn }: ApprovalState | ClientToolCallState): boolean {
  return response === undefined && withdrawn === undefined;
}

/** True for a state with an approval, or a call of a client tool, that waits for its response. */
export function hasPending({
  approvals,
  clientToolCalls,
}: Pick<RunFacts, 'approvals' | 'clientToolCalls'>): boolean {
  return approvals.some(isPending) || clientToolCalls.some(isPending);
}

/** True from a run's start to its end, also while it waits for a response. */
export function isUnderWay(state: Pick<RunState, 'status' | 'approvals' | 'clientToolCalls'>): boolean {
  // a log that ended as waiting has nothing pending that could be answered here
  return state.status === 'running' || (state.status === 'waiting' && hasPending(state));
}

/**
 * Creates a reducer that continues `state`, which must come from {@link reduce}, from a reducer, or be the initial
 * one.
 */
export function createReducer(state: RunState = initialState): Reducer {
  let latest: RunState | undefined = state;
  let run = createAgentReducer<RunFacts>(state);
  const approvals: IdIndex<ApprovalState> = { key: 'approvalId' };
  const clientToolCalls: IdIndex<ClientToolCallState> = { key: 'clientCallId' };
  /** By path; the last one, if a model repeats a call's id. */
  const agents = new Map<string | undefined, AgentEntry>(
    state.agents.map(({ path }, position) => [path, { position }]),
  );
  /** The agents that have changed since the last snapshot. */
  const touched = new Set<AgentEntry>();

  /** Returns the reducer of the running agent with this path. */
  function agentAt(path: string | undefined): AgentReducer<AgentFacts> | undefined {
    const entry = agents.get(path);
    if (entry === undefined) return undefined;
    const work = (entry.work ??= createAgentReducer<AgentFacts>(run.facts.agents[entry.position]!));
    if (work.hasEnded()) return undefined;
    touched.add(entry);
    return work;
  }

  function begin(event: Extract<RunEvent, { type: 'run-start' }>): void {
    const { runId, model, simulated = false, name, messages, messageId, structured = false } = event;
    agents.clear();
    touched.clear();
    delete approvals.known;
    delete clientToolCalls.known;
    const named = name === undefined ? {} : { name };
    run = createAgentReducer<RunFacts>(
      { ...initialState, runId, model, simulated, messages: [...messages], ...named },
      { messageId, structured },
    );
  }

  function beginAgent(event: Extract<RunEvent, { type: 'agent-start' }>): void {
    const { agent: path, toolCallId, name, model, input, messages, messageId, t } = event;
    if (path === undefined) return;
    // an earlier agent with the same path cannot continue
    agentAt(path)?.end({ outcome: 'stopped', t });
    const work = createAgentReducer<AgentFacts>(
      { ...emptyFacts, path, toolCallId, name, model, input, messages: [...messages] },
      { messageId, structured: false },
    );
    const { facts } = run;
    const position = (facts.agents = run.own(facts.agents)).push(work.snapshot()) - 1;
    agents.set(path, { position, work });
  }

  /** Applies an event of an approval to the agent whose call it is about. */
  function applyToOwner(event: Extract<RunEvent, { approvalId: string }>): void {
    const owner = event.agent === undefined ? run : agentAt(event.agent);
    const position = lastIndexOfId(approvals, run.facts.approvals, event.approvalId) ?? -1;
    owner?.apply(event, run.facts.approvals[position]?.toolCallId);
  }

  /** Applies an event to its agent. Its tokens also count for every agent above it. */
  function applyToAgent(path: string, event: RunEvent): void {
    const agent = agentAt(path);
    if (agent === undefined) return;
    agent.apply(event);
    if (event.type !== 'step-end') return;
    run.facts.usage = addUsage(run.facts.usage, event.usage);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = agentAt(path.slice(0, end));
      if (above !== undefined) above.facts.usage = addUsage(above.facts.usage, event.usage);
    }
  }

  /** Changes an item if it is pending: only the first response counts, and so does a withdrawal. */
  function changePending<Item extends ApprovalState | ClientToolCallState>(
    items: Item[],
    index: IdIndex<Item>,
    id: string,
    change: Partial<Item>,
  ): Item[] {
    const position = lastIndexOfId(index, items, id) ?? -1;
    const item = items[position];
    if (item === undefined || !isPending(item)) return items;
    const changed = run.own(items);
    changed[position] = { ...item, ...change };
    return changed;
  }

  function changeApproval(id: string, change: Partial<ApprovalState>): void {
    run.facts.approvals = changePending(run.facts.approvals, approvals, id, change);
  }

  function changeClientToolCall(id: string, change: Partial<ClientToolCallState>): void {
    run.facts.clientToolCalls = changePending(run.facts.clientToolCalls, clientToolCalls, id, change);
  }

  function apply(event: RunEvent): void {
    if (event.type === 'run-start') begin(event);
    // nothing comes after the end of a run or of an agent
    else if (run.hasEnded()) return;
    latest = undefined;
    const { facts } = run;
    facts.seq = event.seq;
    facts.elapsed = event.t;
    switch (event.type) {
      case 'run-start':
        return;
      case 'run-resume': {
        const { runId, model, simulated = false } = event;
        Object.assign(facts, { runId, model, simulated });
        return run.resume();
      }
      case 'run-end':
        run.end(event);
        if (event.outcome === 'waiting') return;
        for (const path of agents.keys()) agentAt(path)?.end({ outcome: 'stopped', t: event.t });
        facts.approvals = withdrawPending(facts.approvals);
        facts.clientToolCalls = withdrawPending(facts.clientToolCalls);
        return;
      case 'agent-start':
        return beginAgent(event);
      case 'agent-end': {
        const agent = agentAt(event.agent);
        if (agent === undefined) return;
        agent.end(event);
        if (event.output !== undefined) agent.facts.output = event.output;
        return;
      }
      case 'approval-request': {
        applyToOwner(event);
        const { type: _type, seq: _seq, t: requestedAt, ...approval } = event;
        (facts.approvals = run.own(facts.approvals)).push({ ...approval, requestedAt });
        return;
      }
      case 'approval-response':
        applyToOwner(event);
        return changeApproval(event.approvalId, { response: event.response });
      case 'approval-withdraw':
        applyToOwner(event);
        return changeApproval(event.approvalId, { withdrawn: true });
      case 'client-tool-request': {
        const { type: _type, seq: _seq, t: requestedAt, ...call } = event;
        (facts.clientToolCalls = run.own(facts.clientToolCalls)).push({ ...call, requestedAt });
        return;
      }
      case 'client-tool-claim':
        return changeClientToolCall(event.clientCallId, { page: event.page });
      case 'client-tool-response':
        return changeClientToolCall(event.clientCallId, { response: event.response });
      case 'client-tool-withdraw':
        return changeClientToolCall(event.clientCallId, { withdrawn: true });
      default:
        if (event.agent === undefined) run.apply(event);
        else applyToAgent(event.agent, event);
    }
  }

  return {
    apply,
    snapshot() {
      if (latest !== undefined) return latest;
      const { facts } = run;
      for (const { position: place, work } of touched)
        (facts.agents = run.own(facts.agents))[place] = work!.snapshot();
      touched.clear();
      latest = run.snapshot(hasPending(facts));
      return latest;
    },
  };
}

function withdrawPending<Item extends ApprovalState | ClientToolCallState>(items: Item[]): Item[] {
  if (!items.some(isPending)) return items;
  return items.map((item) => (isPending(item) ? { ...item, withdrawn: true } : item));
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
