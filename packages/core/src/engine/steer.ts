import type { Experimental_Steering as Steering, StepResult, ToolSet } from 'ai';
import { createId } from '../base/create-id.ts';
import type { RunEventBody } from '../log/events.ts';
import { causeOf } from '../messages/steer-cause.ts';
import type { UserContext } from '../prompt/call-settings.ts';
import type { EventSink } from '../tool-calls/run-context.ts';
import type { LoopPolicy } from './loop-policy.ts';

/** Returns the feedback to a model that stops too early; undefined if it may stop. */
export type Steer = {
  cause: 'tasks' | 'output';
  message(step: StepResult<ToolSet, UserContext>): string | undefined | Promise<string | undefined>;
};

/** A message to the model that the AI SDK has not delivered yet. */
export type PendingSteer = Pick<Extract<RunEventBody, { type: 'steer' }>, 'id' | 'cause' | 'text'>;

/** Finish reasons of an answer that ends the run. */
const failedFinishReasons: ReadonlySet<string> = new Set(['error', 'interrupted', 'content-filter']);

/** If the model has answered without a call, sends it feedback about what is missing. The same run then continues. */
export async function steerLoop(
  step: StepResult<ToolSet, UserContext>,
  steers: readonly Steer[],
  steering: Steering,
  sink: EventSink,
  onSteer: (steer: PendingSteer) => void,
): Promise<void> {
  const continues = step.toolCalls.some(({ providerExecuted }) => providerExecuted !== true);
  if (continues || sink.ended || failedFinishReasons.has(step.finishReason)) return;
  for (const { cause, message } of steers) {
    const text = await message(step);
    if (text === undefined) continue;
    const id = createId(cause);
    onSteer({ id, cause, text });
    // the stream delivers the message, and it is logged then
    void steering.steer(text, { id });
    return;
  }
}

/** Sends the feedback of a loop policy after a step, unless the step was the last. */
export async function continueLoop(
  step: StepResult<ToolSet, UserContext>,
  policy: LoopPolicy,
  steering: Steering,
  onSteer: (steer: PendingSteer) => void,
): Promise<void> {
  const steer = await steerOf(step, policy);
  if (steer === undefined) return;
  onSteer(steer);
  void steering.steer(steer.text, { id: steer.id });
}

/**
 * Returns the feedback of a policy after a step, if another step follows. The id of a correction contains its
 * code.
 */
export async function steerOf(
  step: StepResult<ToolSet, UserContext>,
  policy: LoopPolicy,
): Promise<PendingSteer | undefined> {
  const feedback = await policy.afterStep?.(step);
  if (feedback === undefined || policy.done?.() === true) return undefined;
  if (typeof feedback === 'string') return pending(policy.cause, feedback);
  const { text, corrects, code } = feedback;
  if (!corrects) return pending(policy.cause, text);
  return pending(code === undefined ? 'correction' : `correction-${code}`, text);
}

function pending(kind: string, text: string): PendingSteer {
  const id = createId(kind);
  return { id, cause: causeOf(id), text };
}
