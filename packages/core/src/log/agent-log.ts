import { LOG_VERSION, type RunEvent } from './events.ts';

/** The end of an agent. */
export type AgentEnd = Extract<RunEvent, { type: 'agent-end' }>;

/** The log of an agent in the form of a run's log, without its end, which is in `end`. */
export type AgentLog = {
  start: Extract<RunEvent, { type: 'agent-start' }>;
  events: readonly RunEvent[];
  end: AgentEnd | undefined;
};

/**
 * Returns the log of the agent with this path, which is relative to the log that contains it. `after` is the index of
 * the step whose call it answers: an agent of an earlier step is another one.
 */
export function agentLogOf(events: readonly RunEvent[], path: string, after: number): AgentLog | undefined {
  const start = events.findLastIndex((event) => event.type === 'agent-start' && event.agent === path);
  const first = events[start];
  if (start < after || first?.type !== 'agent-start') return undefined;
  const own = events.slice(start).filter((event) => isInAgent(event, path));
  const end = own.find((event): event is AgentEnd => event.type === 'agent-end' && event.agent === path);
  const log = own.flatMap((event) => (event === end ? [] : [event]));
  return { start: first, events: log.map((event, seq) => ({ ...toOwnEvent(event, path), seq })), end };
}

/** True for an event of the agent with this path, or of an agent below it. */
export function isInAgent({ agent }: { agent?: string | undefined }, path: string): boolean {
  return agent === path || agent?.startsWith(`${path}/`) === true;
}

/** Returns the paths of the agents that have started and not ended. */
export function openAgents(events: readonly RunEvent[]): string[] {
  const open = new Set<string>();
  for (const { type, agent } of events) {
    if (agent === undefined || (type !== 'agent-start' && type !== 'agent-end')) continue;
    open.delete(agent);
    if (type === 'agent-start') open.add(agent);
  }
  return [...open];
}

/** Returns the paths of the agents that started before an index of the log. */
export function agentsBefore(events: readonly RunEvent[], index: number): string[] {
  return events
    .slice(0, Math.max(0, index))
    .flatMap(({ type, agent }) => (type === 'agent-start' && agent !== undefined ? [agent] : []));
}

/** Returns an event of an agent or its descendants as an event of the agent's own log. */
function toOwnEvent(event: RunEvent, path: string): RunEvent {
  const { agent, ...own } = event;
  if (agent !== path) return { ...event, agent: agent!.slice(path.length + 1) };
  if (own.type !== 'agent-start') return own;
  const { seq, t, model, input, messages, messageId } = own;
  return { seq, t, type: 'run-start', v: LOG_VERSION, runId: '', model, input, messages, messageId };
}
