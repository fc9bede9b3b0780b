import type { RunEvent } from './events.ts';
import type { AgentFacts, AgentState, RunFacts, RunState } from './state.ts';
import { addUsage } from './step.ts';
import { createWork, emptyWork, started, type Work } from './work.ts';

/** The state of a run that has not started. */
export const initialState: RunState = {
  ...emptyWork,
  runId: '',
  seq: -1,
  simulated: false,
  requests: [],
  agents: [],
  elapsed: 0,
  status: 'idle',
};

/**
 * Turns events into states. Each event costs the same however long the run already is: what it touches is copied once
 * between two snapshots and then written in place. A snapshot is immutable and shares whatever did not change.
 */
export type Reducer = {
  apply(event: RunEvent): void;
  /** The state after all events so far; the same object until the next event. */
  snapshot(): RunState;
};

/** A reducer that goes on from `state`, which must be one that {@link reduce} or a reducer made, or the initial one. */
export function createReducer(state: RunState = initialState): Reducer {
  let latest: RunState | undefined = state;
  let run = createWork<RunFacts>(state);
  /** Where in the list an agent stands, by its path. */
  let places = new Map<string | undefined, number>(state.agents.map(({ path }, place) => [path, place]));
  /** The agents that have been written to, by place. */
  let works = new Map<number, Work<AgentFacts>>();
  /** The places of those that have changed since the last snapshot. */
  const touched = new Set<number>();

  function begin(event: Extract<RunEvent, { type: 'run-start' }>): void {
    const { runId, model, simulated = false, name, messages, messageId } = event;
    const facts = { ...initialState, runId, model, simulated, messages: [...messages] };
    run = createWork<RunFacts>({ ...facts, ...(name === undefined ? {} : { name }), ...started }, messageId);
    places = new Map();
    works = new Map();
    touched.clear();
  }

  function beginAgent(event: Extract<RunEvent, { type: 'agent-start' }>): void {
    const { agent: path, toolCallId, name, model, input, messages, messageId } = event;
    if (path === undefined) return;
    const agent: AgentState = {
      ...emptyWork,
      path,
      toolCallId,
      name,
      model,
      input,
      messages: [...messages],
      ...started,
    };
    const place = (run.facts.agents = run.own(run.facts.agents)).push(agent) - 1;
    places.set(path, place);
    works.set(place, createWork<AgentFacts>(agent, messageId));
    touched.add(place);
  }

  /** The agent at work under this path; the last, where a model has used a call's id again. */
  function agentAt(path: string | undefined): Work<AgentFacts> | undefined {
    const place = places.get(path);
    return place === undefined ? undefined : agentIn(place);
  }
  function agentIn(place: number): Work<AgentFacts> {
    let work = works.get(place);
    if (work === undefined) works.set(place, (work = createWork<AgentFacts>(run.facts.agents[place]!)));
    touched.add(place);
    return work;
  }

  /** An agent's event counts for the agent; its tokens count for everyone above it, too. */
  function applyToAgent(path: string, event: RunEvent): void {
    const agent = agentAt(path);
    const before = agent?.facts.usage;
    agent?.apply(event);
    if (event.type !== 'step-end' || agent?.facts.usage === before) return;
    run.facts.usage = addUsage(run.facts.usage, event.usage);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = agentAt(path.slice(0, end));
      if (above !== undefined) above.facts.usage = addUsage(above.facts.usage, event.usage);
    }
  }

  function apply(event: RunEvent): void {
    latest = undefined;
    if (event.type === 'run-start') begin(event);
    const { facts } = run;
    facts.seq = event.seq;
    facts.elapsed = event.t;
    switch (event.type) {
      case 'run-start':
        return;
      case 'run-end':
        run.end(event);
        if (event.outcome === 'waiting') return;
        for (const [place, { status }] of facts.agents.entries()) {
          const running = works.get(place)?.running ?? status === 'running';
          if (running) agentIn(place).end({ t: event.t, outcome: 'stopped' });
        }
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
      case 'request-open': {
        const { requestId, kind, toolCallId, toolName, input, agent, t: openedAt } = event;
        (facts.requests = run.own(facts.requests)).push({
          requestId,
          kind,
          toolCallId,
          toolName,
          input,
          ...(agent === undefined ? {} : { agent }),
          openedAt,
        });
        return;
      }
      case 'request-answer': {
        const { requestId, answer } = event;
        const index = facts.requests.findLastIndex((request) => request.requestId === requestId);
        const request = facts.requests[index];
        // the first answer is the one that counts
        if (request === undefined || request.answer !== undefined) return;
        (facts.requests = run.own(facts.requests))[index] = { ...request, answer };
        return;
      }
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
      for (const place of touched) {
        (facts.agents = run.own(facts.agents))[place] = works.get(place)!.snapshot();
      }
      touched.clear();
      latest = run.snapshot(facts.requests.some(({ answer }) => answer === undefined));
      return latest;
    },
  };
}

/** The state after one more event. Pure: `state` is left as it is, and unchanged parts are shared with the result. */
export function reduce(state: RunState, event: RunEvent): RunState {
  const reducer = createReducer(state);
  reducer.apply(event);
  return reducer.snapshot();
}

/** The state after a whole log. */
export function reduceAll(events: Iterable<RunEvent>): RunState {
  const reducer = createReducer();
  for (const event of events) reducer.apply(event);
  return reducer.snapshot();
}
