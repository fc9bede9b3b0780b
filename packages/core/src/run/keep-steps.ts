import type { UIMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { reduceAll } from '../log/reduce.ts';
import type { TaskState } from '../log/state.ts';
import { countPromptMessages } from '../log/log-queries.ts';
import {
  describeUnfinished,
  findUnfinishedStep,
  type UnfinishedCall,
  type UnfinishedStep,
} from '../log/unfinished-step.ts';

/** What is kept of a run that is tried again: its log so far, and what the model reads of it. */
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
 * Returns what is kept of a log if its run is tried again from step `from` on; of a finished run, nothing. By default
 * the run
 * continues after its last whole step, or in the step after it if a call has started there: finished calls are kept,
 * and only calls
 * that may be made twice are made again. The model continues only after a step that called tools.
 * @throws CuelineError `invalid_options`
 */
export function keepFinishedSteps(log: readonly RunEvent[], from: number | undefined): KeptSteps {
  const ends = endsThatCalledTools(log);
  const last = log.at(-1);
  const isDone = last?.type === 'run-end' && last.outcome === 'done';
  const begun = from === undefined && !isDone ? findUnfinishedStep(log) : undefined;
  if (begun !== undefined && begun.start > (ends.at(-1)?.index ?? -1)) return keepUnfinishedStep(log, begun);
  const step = from ?? (isDone ? 0 : (ends.at(-1)?.next ?? 0));
  if (step === 0) return keepOpening(log);
  const end = ends.find(({ next }) => next === step);
  if (end === undefined) {
    const possible = continuableSteps(log).join(', ');
    throw new CuelineError(
      'invalid_options',
      `The run cannot continue from step ${String(step)}. It can from ${possible}: retry({ from: ${ends.at(-1)?.next ?? 0} }).`,
    );
  }
  const events = withEdits(log, end.index + 1);
  const { messages, tasks } = reduceAll(events);
  return { events, messages: messages.slice(countPromptMessages(log)), tasks };
}

/**
 * Returns the numbers of the steps from which `retry({ from })` can run this log again: 0, and each step before which
 * the model has called tools.
 */
export function continuableSteps(log: readonly RunEvent[]): number[] {
  return [0, ...endsThatCalledTools(log).map(({ next }) => next)];
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

/** Returns what was there before the first step. */
function keepOpening(log: readonly RunEvent[]): KeptSteps {
  const start = log.findIndex(({ type }) => type === 'step-start');
  const { messages, tasks } = reduceAll(withEdits(log, start < 0 ? log.length : start));
  return { events: [], messages: messages.slice(countPromptMessages(log)), tasks };
}

/** Returns the log up to `end`, and the user's later edits of the run's tasks. */
function withEdits(log: readonly RunEvent[], end: number): RunEvent[] {
  return numbered([...log.slice(0, end), ...editsAfter(log, end)]);
}

function editsAfter(log: readonly RunEvent[], end: number): RunEvent[] {
  let saysAgain = false;
  return log.slice(end).filter((event) => {
    // the continued run first repeats how its tasks stand, with the origin of each task
    if (event.type === 'run-resume') saysAgain = true;
    if (event.type === 'step-start' && event.agent === undefined) saysAgain = false;
    return !saysAgain && isUserEdit(event);
  });
}

/** Returns the events with their places in a log. */
export function numbered(events: readonly RunEvent[]): RunEvent[] {
  return events.map((event, seq) => (event.seq === seq ? event : { ...event, seq }));
}

function isUserEdit(event: RunEvent): boolean {
  if (event.agent !== undefined) return false;
  if (event.type === 'task-add') return event.task.origin === 'user';
  return 'by' in event && event.by === 'user';
}

/** Returns the ends of steps after which the model continues, and the number of the next step. */
function endsThatCalledTools(log: readonly RunEvent[]): { index: number; next: number }[] {
  let called = false;
  const open = new Set<string>();
  return log.flatMap((event, index) => {
    if (event.agent !== undefined) return [];
    switch (event.type) {
      case 'step-start':
        called = false;
        open.clear();
        return [];
      case 'tool-input-end':
        if (event.providerExecuted === true) return [];
        called = true;
        if (event.invalid === undefined) open.add(event.toolCallId);
        return [];
      case 'tool-end':
      case 'tool-error':
        open.delete(event.toolCallId);
        return [];
      case 'step-end':
        // a step that broke off is not whole, even if a tool of it has run; nor is one that waits for an answer
        return called && open.size === 0 && event.finishReason !== 'error'
          ? [{ index, next: event.step + 1 }]
          : [];
      default:
        return [];
    }
  });
}
