import type { UIMessage } from 'ai';
import { CuelineError } from '../errors.ts';
import type { RunEvent } from '../log/events.ts';
import { reduceAll } from '../log/reduce.ts';
import type { TaskState } from '../log/state.ts';

/** What stays of a run that goes on: its log so far, and what the model is told of it. */
export type KeptRun = {
  events: readonly RunEvent[];
  /** The earlier turns, then the unfinished answer. */
  messages: readonly UIMessage[];
  tasks: readonly TaskState[];
};

/**
 * What stays of a log when its run is tried again from step `from` on, or by default from the first step that is not
 * whole; of a run that is done all is tried again. Undefined where nothing stays. The model goes on only after a step
 * that called tools. @throws CuelineError `invalid_options`
 */
export function keepSteps(log: readonly RunEvent[], from: number | undefined): KeptRun | undefined {
  const ends = endsThatCalledTools(log);
  const last = log.at(-1);
  const isDone = last?.type === 'run-end' && last.outcome === 'done';
  const step = from ?? (isDone ? 0 : (ends.at(-1)?.next ?? 0));
  if (step === 0) return undefined;
  const end = ends.find(({ next }) => next === step);
  if (end === undefined) {
    const possible = [0, ...ends.map(({ next }) => next)].join(', ');
    throw new CuelineError(
      'invalid_options',
      `The run cannot go on from step ${String(step)}. It can from ${possible}: retry({ from: ${ends.at(-1)?.next ?? 0} }).`,
    );
  }
  const edits = log.slice(end.index + 1).filter(isUserEdit);
  const events = [...log.slice(0, end.index + 1), ...edits].map((event, seq) => ({ ...event, seq }));
  const { messages, tasks } = reduceAll(events);
  return { events, messages: messages.slice(openingOf(log)), tasks };
}

/** How many messages of a log's start are the prompt's own. */
export function openingOf([first]: readonly RunEvent[]): number {
  return first?.type === 'run-start' ? first.messages.length - (first.turns ?? 0) : 0;
}

/** The ends of steps after which it is the model's turn again, and the number of the step that came next. */
function endsThatCalledTools(log: readonly RunEvent[]): { index: number; next: number }[] {
  let called = false;
  return log.flatMap((event, index) => {
    if (event.agent !== undefined) return [];
    if (event.type === 'step-start') called = false;
    if (event.type === 'tool-input-end') called ||= event.providerExecuted !== true;
    return event.type === 'step-end' && called && event.finishReason !== 'error'
      ? [{ index, next: event.step + 1 }]
      : [];
  });
}

/** What the user did to the run's tasks stays, also where the step is gone in which it was done. */
function isUserEdit(event: RunEvent): boolean {
  if (event.agent !== undefined) return false;
  if (event.type === 'task-add') return event.task.origin === 'user';
  return 'by' in event && event.by === 'user';
}
