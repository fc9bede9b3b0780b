import type { RunEvent, StepState, ToolCallState } from '@cueline/core';
import { useMemo } from 'react';
import { kindOf } from '../../transcript/outcome.ts';
import { eventsIn, rangeOfStep } from '../step-events.ts';
import type { StepTarget } from '../target.ts';
import { notesOfStep, type StepNote } from './step-notes.ts';

/** A step with its calls and its events. */
export type StepContent = {
  turn: number;
  path: string | undefined;
  step: StepState;
  before: StepState | undefined;
  /** The calls that it made. */
  calls: readonly ToolCallState[];
  /** Its events, in order. */
  events: readonly RunEvent[];
  notes: readonly StepNote[];
};

const none: readonly RunEvent[] = [];

/**
 * The content of a step. It stays the same object as long as nothing in the step changes, even while later steps run.
 */
export function useStepContent(
  { turn, path, run, work, index, step, before }: StepTarget,
  log: readonly RunEvent[],
): StepContent {
  const until = run.seq;
  const range = rangeOfStep(log, path, index, until);
  const { start = 0, end = 0 } = range ?? {};
  const events = useMemo(
    () => (end === 0 ? none : eventsIn(log, { start, end }, path)),
    [log, start, end, path],
  );
  const earlierStart = index > 0 ? rangeOfStep(log, path, index - 1, until)?.start : undefined;
  const made = callsOf(step, work.toolCalls, index);
  const isSteered = step.steered !== undefined;
  const after = kindOf(before, work.toolCalls);
  const notes = useMemo(() => {
    const looksBack = isSteered && earlierStart !== undefined;
    const earlier = looksBack ? eventsIn(log, { start: earlierStart, end: start }, path) : none;
    return notesOfStep(step, events, earlier, after);
  }, [step, events, earlierStart, start, isSteered, log, path, after]);
  return useMemo(
    () => ({ turn, path, step, before, calls: made, events, notes }),
    [turn, path, step, before, made, events, notes],
  );
}

const lastCalls = new WeakMap<StepState, readonly ToolCallState[]>();

/** The calls of a step, as the same list as before if none of them has changed. */
function callsOf(step: StepState, all: readonly ToolCallState[], index: number): readonly ToolCallState[] {
  const calls = all.filter((call) => call.step === index);
  const known = lastCalls.get(step);
  if (known?.length === calls.length && known.every((call, index) => call === calls[index])) return known;
  lastCalls.set(step, calls);
  return calls;
}
