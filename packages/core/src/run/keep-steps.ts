import type { UIMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';
import { agentLogOf } from '../log/agent-log.ts';
import type { RunEvent } from '../log/events.ts';
import { countPromptMessages } from '../log/log-queries.ts';
import { reduceAll } from '../log/reduce.ts';
import type { TaskState } from '../log/state.ts';
import {
  describeUnfinished,
  findUnfinishedStep,
  type UnfinishedCall,
  type UnfinishedStep,
} from '../log/unfinished-step.ts';
import { checkIsLog } from '../wire/check-is-log.ts';
import { agentAncestry, logBeforeAgentStep } from './log-before-agent-step.ts';

/** The part of a run that a retry keeps: its log so far, and the messages for the model. */
export type KeptSteps = {
  /** Empty if the whole turn is tried again. */
  events: readonly RunEvent[];
  /** The earlier turns, then the unfinished answer. */
  messages: readonly UIMessage[];
  /** As the user has left them, even if the step of the edit is not kept. */
  tasks: readonly TaskState[];
  /** Calls of the last step that are made before the model is called again. */
  unfinishedCalls?: readonly UnfinishedCall[];
};

/**
 * Returns the part of a log that is kept if its run is retried from step `from`; nothing of a finished run. By
 * default the run continues after its last complete step, or in the step after it if a call has started there:
 * finished calls are kept, and only calls that may be made twice are made again. With `continuesAgents`, an agent that
 * was at work continues, too. The model continues only after a step that called tools, or after which it got feedback.
 * @throws CuelineError `invalid_options`
 */
export function keepFinishedSteps(
  log: readonly RunEvent[],
  from: number | undefined,
  continuesAgents = false,
): KeptSteps {
  const ends = continuableEnds(log);
  const last = log.at(-1);
  const isDone = last?.type === 'run-end' && last.outcome === 'done';
  const begun = from === undefined && !isDone ? findUnfinishedStep(log, continuesAgents) : undefined;
  if (begun !== undefined && begun.start > (ends.at(-1)?.index ?? -1)) return keepUnfinishedStep(log, begun);
  const step = from ?? (isDone ? 0 : (ends.at(-1)?.next ?? 0));
  if (step === 0) return keepNoSteps(log);
  const end = ends.find(({ next }) => next === step);
  if (end === undefined) {
    const possible = continuableSteps(log).join(', ');
    throw new CuelineError(
      'invalid_options',
      `The run cannot continue from step ${quoteValue(step)}. It can from ${possible}: retry({ from: ${ends.at(-1)?.next ?? 0} }).`,
    );
  }
  const events = withEdits(log, end);
  const { messages, tasks } = reduceAll(events);
  return { events, messages: messages.slice(countPromptMessages(log)), tasks };
}

/**
 * Returns the numbers of the steps from which `retry({ from })` can run this log again: 0, and each step before which
 * the model has called tools or got feedback. With the path of an agent, these are the agent's steps, for
 * {@link logBefore}; none if the agent cannot continue, because no tool call of the run or of another agent is answered
 * by it alone.
 */
export function continuableSteps(log: readonly RunEvent[], agent?: string): number[] {
  checkIsLog('continuableSteps', log);
  if (agent === undefined) return [0, ...continuableEnds(log).map(({ next }) => next)];
  const own = agentAncestry(log, agent) === undefined ? undefined : agentLogOf(log, agent, 0);
  return own === undefined ? [] : [0, ...continuableEnds(own.events).map(({ next }) => next)];
}

/**
 * Returns a log up to the step `step`, with an end. `createRun(definition, { log: before }).retry({ from: step })` runs
 * the step and what follows. With the path of an agent, the log ends before that step of the agent, and keeps what the
 * other calls of the same step of the run have done; `retry()` without `from` continues the agent there. `log` stays
 * unchanged.
 * @throws CuelineError `invalid_options` for a step that is not one of {@link continuableSteps}
 */
export function logBefore(log: readonly RunEvent[], step: number, agent?: string): RunEvent[] {
  checkIsLog('logBefore', log);
  if (agent !== undefined) {
    const ancestry = agentAncestry(log, agent);
    if (ancestry === undefined || !continuableSteps(log, agent).includes(step))
      throw cannotContinueError(`The agent ${agent}`, step, continuableSteps(log, agent));
    return numbered(logBeforeAgentStep(log, ancestry, step));
  }
  const start = log.findIndex(({ type }) => type === 'step-start');
  const events = step === 0 ? log.slice(0, start < 0 ? log.length : start) : eventsBefore(log, step);
  const last = events.at(-1);
  if (last === undefined || last.type === 'run-end') return [...events];
  return numbered([...events, { seq: 0, t: last.t, type: 'run-end', outcome: 'stopped' }]);
}

function eventsBefore(log: readonly RunEvent[], step: number): RunEvent[] {
  const end = continuableEnds(log).find(({ next }) => next === step);
  if (end === undefined) throw cannotContinueError('The run', step, continuableSteps(log));
  return numbered([...log.slice(0, end.index + 1), ...end.feedback]);
}

function keepUnfinishedStep(log: readonly RunEvent[], step: UnfinishedStep): KeptSteps {
  const { start, end, closing, unfinished } = step;
  const last = log[end - 1]!;
  const closed = closing.map((body): RunEvent => ({ ...body, seq: 0, t: last.t }));
  const events = numbered([...log.slice(0, start), ...step.events, ...closed, ...editsAfter(log, end)]);
  const { messages, tasks } = reduceAll(events);
  const said = describeUnfinished(messages, unfinished);
  return { events, messages: said.slice(countPromptMessages(log)), tasks, unfinishedCalls: unfinished };
}

/** Keeps no step: the whole turn is tried again. */
function keepNoSteps(log: readonly RunEvent[]): KeptSteps {
  const start = log.findIndex(({ type }) => type === 'step-start');
  const beforeFirstStep = { index: (start < 0 ? log.length : start) - 1, feedback: [] };
  const { messages, tasks } = reduceAll(withEdits(log, beforeFirstStep));
  return { events: [], messages: messages.slice(countPromptMessages(log)), tasks };
}

/** Returns the log up to the end of a step, with the feedback after it and the user's later edits of the tasks. */
function withEdits(log: readonly RunEvent[], { index, feedback }: Omit<StepEnd, 'next'>): RunEvent[] {
  // the user may have made an edit before the feedback
  const later = [...feedback, ...editsAfter(log, index + 1)].toSorted((one, other) => one.seq - other.seq);
  return numbered([...log.slice(0, index + 1), ...later]);
}

function editsAfter(log: readonly RunEvent[], end: number): RunEvent[] {
  let saysAgain = false;
  return log.slice(end).filter((event) => {
    // the continued run first repeats the state of its tasks, with the origin of each
    if (event.type === 'run-resume') saysAgain = true;
    if (event.type === 'step-start' && event.agent === undefined) saysAgain = false;
    return !saysAgain && isUserEdit(event);
  });
}

function cannotContinueError(who: string, step: number, possible: readonly number[]): CuelineError {
  const instead =
    possible.length === 0 ? 'Fork the run at one of its own steps.' : `It can from ${possible.join(', ')}.`;
  return new CuelineError('invalid_options', `${who} cannot continue from step ${step}. ${instead}`);
}

/** Returns the events, numbered by their positions. */
export function numbered(events: readonly RunEvent[]): RunEvent[] {
  return events.map((event, seq) => (event.seq === seq ? event : { ...event, seq }));
}

function isUserEdit(event: RunEvent): boolean {
  if (event.agent !== undefined) return false;
  if (event.type === 'task-add') return event.task.origin === 'user';
  return 'by' in event && event.by === 'user';
}

/** The end of a step after which the model continues. */
export type StepEnd = {
  /** The index of its last event: its `step-end`, or the end of a call that a retry has made after it. */
  index: number;
  /** The number of the next step. */
  next: number;
  /** The feedback before the next step. The log has it after the start of that step. */
  feedback: readonly RunEvent[];
};

/** Returns the ends of the steps after which the model continues. */
export function continuableEnds(log: readonly RunEvent[]): StepEnd[] {
  const ends: StepEnd[] = [];
  let called = false;
  let last: StepEnd | undefined;
  /** The step after one that has ended and whose calls have not. */
  let nextOfOpen: number | undefined;
  const open = new Set<string>();
  for (const [index, event] of log.entries()) {
    if (event.agent !== undefined) continue;
    switch (event.type) {
      case 'step-start':
        called = false;
        nextOfOpen = undefined;
        open.clear();
        break;
      case 'retry':
        // everything since the start of the step is void
        if (event.attempt !== undefined) break;
        called = false;
        open.clear();
        break;
      case 'tool-input-end':
        if (event.providerExecuted === true) break;
        called = true;
        if (event.invalid === undefined) open.add(event.toolCallId);
        break;
      case 'tool-end':
      case 'tool-error':
        open.delete(event.toolCallId);
        if (nextOfOpen === undefined || open.size > 0) break;
        last = { index, next: nextOfOpen, feedback: [] };
        ends.push(last);
        nextOfOpen = undefined;
        break;
      case 'step-end': {
        const next = event.step + 1;
        // a step that was cut off is incomplete, even if a tool of it has run; so is one that waits for a
        // response
        const isWhole = open.size === 0 && event.finishReason !== 'error';
        last = isWhole ? { index, next, feedback: [] } : undefined;
        if (last !== undefined && called) ends.push(last);
        nextOfOpen = open.size > 0 && event.finishReason !== 'error' ? next : undefined;
        break;
      }
      case 'steer':
        // the feedback of a session or a call to its model depends on more than the log
        if (last === undefined || (event.cause !== 'tasks' && event.cause !== 'output')) break;
        last = { ...last, feedback: [...last.feedback, event] };
        if (ends.at(-1)?.index === last.index) ends.pop();
        ends.push(last);
        break;
      default:
    }
  }
  return ends;
}
