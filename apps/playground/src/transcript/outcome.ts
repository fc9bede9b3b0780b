import type { AgentState, RunState, StepState, ToolCallState } from '@cueline/core';
import type { SteerFields } from './transcript-item.ts';

/** The result of a session, if this is the call that reports it. */
export function completionOf({
  toolName,
  state,
  input,
}: ToolCallState): { summary: string; result: unknown } | undefined {
  if (toolName !== 'task_complete' || state !== 'output-available') return undefined;
  const { summary, result } = (input ?? {}) as { summary?: unknown; result?: unknown };
  return typeof summary === 'string' ? { summary, result } : undefined;
}

/** The parsed output of an answer, if its text does not show it: an object that is not the text itself. */
export function resultOf(work: RunState | AgentState): object | undefined {
  if (work.status !== 'done' || typeof work.result !== 'object' || work.result === null) return undefined;
  if (work.toolCalls.some((call) => completionOf(call) !== undefined)) return undefined;
  try {
    JSON.parse(work.text);
    return undefined;
  } catch {
    return work.result;
  }
}

/** True if the work has ended with an answer that is incomplete, because the model reached the most tokens of one. */
export function isCutOff({ status, steps }: RunState | AgentState): boolean {
  return status === 'done' && steps.at(-1)?.finishReason === 'length';
}

/** The outcome of a step. If a session continues after a failed answer, the step has finished as `other`. */
export function kindOf(step: StepState | undefined, made: readonly ToolCallState[]): SteerFields['after'] {
  if (step !== undefined && made.some((call) => call.step === step.step)) return 'calls';
  return step?.finishReason === 'other' ? 'failure' : 'answer';
}

/** True for a call whose tool has suspended its session and that has no answer yet. */
export function isSuspended({ state, output }: ToolCallState): boolean {
  if (state !== 'output-available' || typeof output !== 'object' || output === null) return false;
  return 'kind' in output && output.kind === 'cueline-suspension';
}
