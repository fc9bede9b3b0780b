import type { RunEvent } from '@cueline/core';

/** A part of a log: from the index `start` up to, but not including, `end`. */
export type EventRange = { start: number; end: number };

type StepIndex = {
  first: RunEvent | undefined;
  read: number;
  starts: Map<string | undefined, number[]>;
  /** The numbers of the steps in progress. */
  open: Map<string | undefined, number>;
};

/** By log. A log only grows, so each event is read once. */
const indexes = new WeakMap<readonly RunEvent[], StepIndex>();

/**
 * The position of a step's events in a log: from its start to the start of the next step, but not after `until`. The
 * first step also includes the events before it. Undefined if the log does not have the step.
 */
export function rangeOfStep(
  log: readonly RunEvent[],
  path: string | undefined,
  index: number,
  until: number,
): EventRange | undefined {
  const starts = startsOf(log, path);
  const start = starts[index];
  if (start === undefined || start > until) return undefined;
  return { start: index === 0 ? 0 : start, end: Math.min(starts[index + 1] ?? log.length, until + 1) };
}

/** The indexes of the first events of the steps of an agent, or of the run itself. */
function startsOf(log: readonly RunEvent[], path: string | undefined): readonly number[] {
  let index = indexes.get(log);
  // a replay that is rewound begins its log again
  if (index === undefined || index.first !== log[0] || index.read > log.length) {
    index = { first: log[0], read: 0, starts: new Map(), open: new Map() };
    indexes.set(log, index);
  }
  const { starts, open } = index;
  for (; index.read < log.length; index.read += 1) {
    const event = log[index.read]!;
    const { agent } = event;
    if (event.type === 'step-end') open.delete(agent);
    if (event.type === 'agent-start') {
      starts.delete(agent);
      open.delete(agent);
    }
    if (event.type !== 'step-start') continue;
    const known = starts.get(agent);
    if (known === undefined) starts.set(agent, [index.read]);
    // a step that was interrupted and continues is one step
    else if (open.get(agent) !== event.step) known.push(index.read);
    open.set(agent, event.step);
  }
  return starts.get(path) ?? [];
}

/** The events of an agent, or of the run itself, in a part of a log. */
export function eventsIn(
  log: readonly RunEvent[],
  { start, end }: EventRange,
  path: string | undefined,
): RunEvent[] {
  const events: RunEvent[] = [];
  for (let index = start; index < end; index += 1) {
    const event = log[index];
    if (event !== undefined && event.agent === path) events.push(event);
  }
  return events;
}
