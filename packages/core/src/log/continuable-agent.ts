import { agentLogOf, isInAgent, type AgentLog } from './agent-log.ts';
import type { RunEvent } from './events.ts';
import { createStepCalls } from './settle-open-calls.ts';

/**
 * Returns the events of the agent at `path` and of those below it if the agent can continue after them: nothing may have
 * started in an answer that is not whole, because the model is asked for that answer again, and the open calls of a
 * whole answer must themselves be agents that can continue. Otherwise returns undefined.
 */
export function continuableAgent(events: readonly RunEvent[], path: string): readonly RunEvent[] | undefined {
  const agent = agentLogOf(events, path, 0);
  if (agent === undefined || !canContinue(agent)) return undefined;
  return events.slice(events.indexOf(agent.start)).filter((event) => isInAgent(event, path));
}

function canContinue({ events, end }: AgentLog): boolean {
  if (end !== undefined) return true;
  const start = events.findLastIndex(({ type, agent }) => type === 'step-start' && agent === undefined);
  if (start < 0) return true;
  const step = events.slice(start);
  const has = (wanted: RunEvent['type']): boolean =>
    step.some(({ type, agent }) => type === wanted && agent === undefined);
  if (has('step-end')) return true;
  if (!has('model-call-end')) return !step.some(startsWork);
  const calls = createStepCalls();
  for (const event of step) calls.read(event);
  return calls
    .open()
    .every(({ agent }) => agent !== undefined && continuableAgent(step, agent) !== undefined);
}

function startsWork({ type }: RunEvent): boolean {
  return (
    type === 'tool-start' ||
    type === 'tool-end' ||
    type === 'tool-error' ||
    type === 'sub-call-start' ||
    type === 'agent-start'
  );
}
