import type { UIMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { reduceAll } from '../log/reduce.ts';
import type { TaskState } from '../log/state.ts';
import { countPromptMessages } from '../log/log-parts.ts';
import {
  describeUnfinished,
  findUnfinishedStep,
  type UnfinishedCall,
  type UnfinishedStep,
} from '../log/unfinished-step.ts';

/** What stays of a run that is tried again: its log so far, and what the model is told of it. */
export type KeptSteps = {
  /** Empty where the whole turn is tried again. */
  events: readonly RunEvent[];
  /** The earlier turns, then the unfinished answer. */
  messages: readonly UIMessage[];
  /** As the user has left them, also where the step is gone in which that was. */
  tasks: readonly TaskState[];
  /** Calls of the last step that are made before the model is asked again. */
  unfinishedCalls?: readonly UnfinishedCall[];
};

/**
 * What stays of a log when its run is tried again from step `from` on; of a run that is done all is tried again. By
 * default the run goes on after its last whole step, or in the one after it where a call has begun there: what ended in
 * it stays, and of the rest only what may be made twice is made again. The model goes on only after a step that called
 * tools.
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
    const possible = [0, ...ends.map(({ next }) => next)].join(', ');
    throw new CuelineError(
      'invalid_options',
      `The run cannot go on from step ${String(step)}. It can from ${possible}: retry({ from: ${ends.at(-1)?.next ?? 0} }).`,
    );
  }
  const events = withEdits(log, end.index + 1);
  const { messages, tasks } = reduceAll(events);
  return { events, messages: messages.slice(countPromptMessages(log)), tasks };
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

/** What was there before the first step. */
function keepOpening(log: readonly RunEvent[]): KeptSteps {
  const start = log.findIndex(({ type }) => type === 'step-start');
  const { messages, tasks } = reduceAll(withEdits(log, start < 0 ? log.length : start));
  return { events: [], messages: messages.slice(countPromptMessages(log)), tasks };
}

/** The log up to `end`, and what the user did to the run's tasks after it. */
function withEdits(log: readonly RunEvent[], end: number): RunEvent[] {
  return numbered([...log.slice(0, end), ...editsAfter(log, end)]);
}

function editsAfter(log: readonly RunEvent[], end: number): RunEvent[] {
  let saysAgain = false;
  return log.slice(end).filter((event) => {
    // what goes on says first how its tasks stand, in the name of whoever put them on the list
    if (event.type === 'run-resume') saysAgain = true;
    if (event.type === 'step-start' && event.agent === undefined) saysAgain = false;
    return !saysAgain && isUserEdit(event);
  });
}

function numbered(events: readonly RunEvent[]): RunEvent[] {
  return events.map((event, seq) => (event.seq === seq ? event : { ...event, seq }));
}

function isUserEdit(event: RunEvent): boolean {
  if (event.agent !== undefined) return false;
  if (event.type === 'task-add') return event.task.origin === 'user';
  return 'by' in event && event.by === 'user';
}

/** The ends of steps after which it is the model's turn again, and the number of the step that came next. */
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
        // one that broke off is not whole, even where a tool of it had run; nor is one that waits for an answer
        return called && open.size === 0 && event.finishReason !== 'error'
          ? [{ index, next: event.step + 1 }]
          : [];
      default:
        return [];
    }
  });
}
