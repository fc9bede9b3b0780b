import { isInAgent } from '../log/agent-log.ts';
import type { RunEvent } from '../log/events.ts';
import { unknownUsage } from '../log/unfinished-step.ts';

/** The run itself or an agent, on the way to an agent. */
type Ancestor = {
  /** The agent's path; undefined for the run itself. */
  path: string | undefined;
  /** The index of its first event. */
  start: number;
  /** The step in which it calls the next agent on the way: its start, its end, and where the next step starts. */
  step: { start: number; end: number; next: number };
  /** The call that the next agent answers. */
  toolCallId: string;
};

/** The way from a run to one of its agents. */
export type AgentAncestry = {
  /** The run itself, then the agents in which the agent works. */
  above: readonly Ancestor[];
  path: string;
  /** The index of its `agent-start`. */
  start: number;
};

/** Returns the way to the agent at `path`; undefined if one of these agents is not the only answer to a tool call. */
export function agentAncestry(log: readonly RunEvent[], path: string): AgentAncestry | undefined {
  const above: Ancestor[] = [];
  let parent: string | undefined;
  let start = 0;
  for (const segment of path.split('/')) {
    const child: string = parent === undefined ? segment : `${parent}/${segment}`;
    const at = log.findLastIndex((event) => event.type === 'agent-start' && event.agent === child);
    const begin = log[at];
    if (begin?.type !== 'agent-start' || at < start) return undefined;
    const { name, toolCallId } = begin;
    const step = stepAround(log, parent, at);
    const isAnswer = log
      .slice(step.start, at)
      .some(
        (event) =>
          event.type === 'tool-input-end' &&
          event.agent === parent &&
          event.toolCallId === toolCallId &&
          event.toolName === name,
      );
    if (step.start < start || !isAnswer) return undefined;
    above.push({ path: parent, start, step, toolCallId });
    parent = child;
    start = at;
  }
  return { above, path, start };
}

/** Returns the step of an agent, or of the run itself, that was in progress at an index of the log. */
function stepAround(log: readonly RunEvent[], path: string | undefined, at: number): Ancestor['step'] {
  const isOwn =
    (type: RunEvent['type'], from: number) =>
    (event: RunEvent, index: number): boolean =>
      index > from && event.type === type && event.agent === path;
  const start = log.findLastIndex(
    (event, index) => index < at && event.type === 'step-start' && event.agent === path,
  );
  const next = log.findIndex(isOwn('step-start', start));
  const until = next < 0 ? log.length : next;
  const end = log.findIndex(isOwn('step-end', start));
  return { start, end: end < 0 || end > until ? until : end, next: until };
}

/**
 * Returns a log in which the agent has not begun the step `step`. What follows from that step is missing, also in the
 * agents above and in the run itself; the other calls of their steps stay as they are.
 */
export function logBeforeAgentStep(
  log: readonly RunEvent[],
  { above, path, start }: AgentAncestry,
  step: number,
): RunEvent[] {
  const begin = log.findIndex(
    (event, index) =>
      index > start && event.type === 'step-start' && event.agent === path && event.step === step,
  );
  const cut = begin < 0 ? log.length : begin;
  const [run] = above;
  /** The indexes at which the agents so far have started, by path. */
  const starts = new Map<string, number>();
  const keeps = (event: RunEvent, index: number): boolean => {
    const { agent } = event;
    if (event.type === 'agent-start' && agent !== undefined) starts.set(agent, index);
    if (index < run!.step.start) return true;
    if (agent !== undefined && isInAgent({ agent }, path)) {
      if (agent === path) return index < cut && event.type !== 'agent-end';
      return (starts.get(childOn(agent, path)) ?? index) < cut;
    }
    const ancestor = above.findLast((one) => one.path === undefined || isInAgent({ agent }, one.path))!;
    if (agent === ancestor.path) return keepsOwn(event, index, ancestor);
    return (starts.get(childOn(agent!, ancestor.path)) ?? index) < ancestor.step.next;
  };
  const kept = log.filter(keeps);
  const t = kept.at(-1)?.t ?? 0;
  const added = [
    ...above.flatMap((ancestor) => answerEnd(log, ancestor)),
    ...feedbackAfter(log, path, begin),
  ];
  return [
    ...kept,
    ...added.map((event) => ({ ...event, t })),
    { seq: 0, t, type: 'run-end', outcome: 'stopped' },
  ];
}

/** True for an event above the agent that does not follow from what the agent has answered. */
function keepsOwn(event: RunEvent, index: number, { path, step, toolCallId }: Ancestor): boolean {
  if (index < step.start) return true;
  if (index >= step.next || event.type === 'agent-end' || event.type === 'run-end') return false;
  const isCall = 'toolCallId' in event;
  if (isCall && event.toolCallId === toolCallId)
    return event.type !== 'tool-end' && event.type !== 'tool-error';
  if (index < step.end) return true;
  // an agent's step ends once its calls have ended
  if (index === step.end) return path === undefined;
  return isCall || 'approvalId' in event || event.type === 'run-resume';
}

/** Returns the path of the agent directly below `above` on the way to `agent`. */
function childOn(agent: string, above: string | undefined): string {
  const slash = agent.indexOf('/', above === undefined ? 0 : above.length + 1);
  return slash < 0 ? agent : agent.slice(0, slash);
}

/** Returns the event after which an agent above continues with the open calls of its step. */
function answerEnd(log: readonly RunEvent[], { path, step }: Ancestor): RunEvent[] {
  if (path === undefined) return [];
  const isLogged = log
    .slice(step.start, step.next)
    .some((event) => event.type === 'model-call-end' && event.agent === path);
  if (isLogged) return [];
  const end = log[step.end];
  const { finishReason, usage } =
    end?.type === 'step-end' && end.agent === path
      ? end
      : { finishReason: 'interrupted' as const, usage: unknownUsage };
  return [{ seq: 0, t: 0, type: 'model-call-end', finishReason, usage, agent: path }];
}

/** Returns the messages that the agent received before its step. The log has them after the start of the step. */
function feedbackAfter(log: readonly RunEvent[], path: string, begin: number): RunEvent[] {
  if (begin < 0) return [];
  const own = log.slice(begin + 1).filter(({ agent }) => agent === path);
  const other = own.findIndex(({ type }) => type !== 'steer');
  return own.slice(0, other < 0 ? own.length : other);
}
