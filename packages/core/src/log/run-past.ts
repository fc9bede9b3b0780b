import type { FinishReason, LanguageModelUsage } from 'ai';
import type { TaskEvent } from '../tasks/task-item.ts';
import type { RunEvent } from './events.ts';
import { reduceAll } from './reduce.ts';
import type { ApprovalState, ClientToolCallState, RunState, ToolCallState } from './state.ts';

/** What a run that continues in another process takes over from its log. */
export type RunPast = {
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  /**
   * The index from which on agents have started that continue: those of the open step, or those that prepare the next
   * one.
   */
  readonly continuesFrom: number;
  /** The number of the next step. */
  readonly nextStep: number;
  /** How much of their limits the run and its agents have used. */
  readonly used: { steps: number; toolCalls: number; tokens: number };
  /** The step whose answer is whole and whose calls are not. */
  readonly openStep: OpenStep | undefined;
  /** The calls that have ended, in order. */
  readonly calls: readonly ToolCallState[];
  /** True for a call that could not run, because its tool does not exist or its arguments do not fit. */
  isInvalid(call: ToolCallState): boolean;
  /** Everything that has happened to the run's own tasks. */
  readonly taskEvents: readonly TaskEvent[];
  /** How often the model got the feedback that its answer does not fit. */
  readonly corrections: number;
  /** How often it was reminded of open tasks since a task last changed. */
  readonly nudges: number;
};

/** A step with calls that have no result yet. */
export type OpenStep = {
  readonly step: number;
  readonly finishReason: FinishReason;
  readonly usage: LanguageModelUsage;
  readonly calls: readonly ToolCallState[];
  /**
   * The approvals and client tool calls that these calls have requested. A later call with the same id has to
   * request its own.
   */
  readonly asked: Pick<RunState, 'approvals' | 'clientToolCalls'>;
};

/** Reads what a run has done so far, from a log without an end whose half answers are void, and the state after it. */
export function readPast(events: readonly RunEvent[], state: RunState = reduceAll(events)): RunPast {
  const last = state.steps.at(-1);
  const answer = lastAnswer(events);
  const isOpen = last !== undefined && last.finishedAt === undefined && answer !== undefined;
  const stepIndex = state.steps.length - 1;
  const openCalls = isOpen
    ? state.toolCalls.filter((call) => call.step === stepIndex && !hasEnded(call))
    : [];
  const openStep = isOpen
    ? {
        step: last.step,
        ...answer,
        calls: openCalls,
        asked: readPastRequests(state, openCalls, last.startedAt),
      }
    : undefined;
  return {
    events,
    state,
    continuesFrom: openStep === undefined ? lastEnd(events) + 1 : lastStart(events),
    // the number of a void step is used again
    nextStep: last === undefined ? 0 : last.step + (last.finishedAt === undefined && !isOpen ? 0 : 1),
    used: readUse(events, state),
    openStep,
    calls: state.toolCalls.filter((call) => !openCalls.includes(call)),
    isInvalid: readInvalid(events),
    taskEvents: events.flatMap((event) => (isTaskEvent(event) ? [bodyOf(event)] : [])),
    ...countSteers(events),
  };
}

/** Returns the event that voids the last step of a log if its answer is not whole. */
export function voidingEvent(events: readonly RunEvent[]): Extract<RunEvent, { type: 'retry' }> | undefined {
  const start = lastStart(events);
  const last = events.at(-1);
  if (start < 0 || last === undefined) return undefined;
  const own = events.slice(start).filter(({ agent }) => agent === undefined);
  if (own.some(({ type }) => type === 'step-end' || type === 'model-call-end')) return undefined;
  const isVoid = own.findLast((event) => event.type === 'retry' && event.attempt === undefined);
  if (isVoid !== undefined && isVoid === own.at(-1)) return undefined;
  const message = 'The process that waited for this answer is gone, so the model is asked again.';
  return { seq: events.length, t: last.t, type: 'retry', error: { code: 'interrupted', message } };
}

function lastStart(events: readonly RunEvent[]): number {
  return events.findLastIndex(({ type, agent }) => type === 'step-start' && agent === undefined);
}

function lastEnd(events: readonly RunEvent[]): number {
  return events.findLastIndex(({ type, agent }) => type === 'step-end' && agent === undefined);
}

/** Returns the end of the last step's model call, if its answer is whole. */
function lastAnswer(events: readonly RunEvent[]): Pick<OpenStep, 'finishReason' | 'usage'> | undefined {
  const answer = events
    .slice(Math.max(0, lastStart(events)))
    .findLast((event) => event.type === 'model-call-end' && event.agent === undefined);
  if (answer?.type !== 'model-call-end') return undefined;
  const { finishReason, usage } = answer;
  return { finishReason, usage };
}

function readPastRequests(
  { approvals, clientToolCalls }: RunState,
  calls: readonly ToolCallState[],
  since: number,
): OpenStep['asked'] {
  const ids = new Set(calls.map(({ toolCallId }) => toolCallId));
  const isOfStep = ({ agent, toolCallId, requestedAt }: ApprovalState | ClientToolCallState): boolean =>
    agent === undefined && ids.has(toolCallId) && requestedAt >= since;
  return { approvals: approvals.filter(isOfStep), clientToolCalls: clientToolCalls.filter(isOfStep) };
}

function readInvalid(events: readonly RunEvent[]): RunPast['isInvalid'] {
  const invalid = new Set<string>();
  const starts: number[] = [];
  const keyOf = (stepIndex: number, toolCallId: string): string => JSON.stringify([stepIndex, toolCallId]);
  for (const event of events) {
    if (event.agent !== undefined) continue;
    // a repeated step replaces the void one
    if (event.type === 'step-start' && starts.at(-1) !== event.step) starts.push(event.step);
    if (event.type === 'tool-input-end' && event.invalid !== undefined) {
      invalid.add(keyOf(starts.length - 1, event.toolCallId));
    }
  }
  return ({ step, toolCallId }) => invalid.has(keyOf(step, toolCallId));
}

function hasEnded({ state }: ToolCallState): boolean {
  return state === 'output-available' || state === 'output-error';
}

function readUse(events: readonly RunEvent[], { usage }: RunState): RunPast['used'] {
  const used = { steps: 0, toolCalls: 0, tokens: usage.totalTokens };
  for (const event of events) {
    if (event.type === 'step-start') used.steps += 1;
    // the first is the call of the composite tool itself
    if (event.type === 'sub-call-start' && event.index > 0) used.toolCalls += 1;
    // an open call is counted when it is made
    const ends = event.type === 'tool-end' || event.type === 'tool-error';
    if (ends && event.providerExecuted !== true) used.toolCalls += 1;
  }
  return used;
}

function countSteers(events: readonly RunEvent[]): Pick<RunPast, 'corrections' | 'nudges'> {
  let corrections = 0;
  let nudges = 0;
  for (const event of events) {
    if (isTaskEvent(event)) nudges = 0;
    if (event.type !== 'steer' || event.agent !== undefined) continue;
    if (event.cause === 'output') corrections += 1;
    if (event.cause === 'tasks') nudges += 1;
  }
  return { corrections, nudges };
}

function isTaskEvent(event: RunEvent): event is Extract<RunEvent, TaskEvent> {
  const { type, agent } = event;
  const isOfTask =
    type === 'task-add' || type === 'task-update' || type === 'task-move' || type === 'task-remove';
  return isOfTask && agent === undefined;
}

function bodyOf({ seq: _seq, t: _t, agent: _agent, ...body }: Extract<RunEvent, TaskEvent>): TaskEvent {
  return body;
}
