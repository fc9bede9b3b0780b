import type { Experimental_Steering as Steering, StepResult, ToolSet } from 'ai';
import { beforeCallback, composeCallbacks } from '../../base/compose-callbacks.ts';
import type { RequestChange } from '../../log/events.ts';
import type { StreamTextOptions, UserContext } from '../../prompt/call-settings.ts';
import { continueLoop, steerLoop, type PendingSteer } from '../steer.ts';
import type { CallerOptions, StreamContext } from '../stream-context.ts';
import type { StepStart } from './request-recorder.ts';

/** The callbacks that write the stream into the log and continue the loop, before those of the caller. */
export function recordingCallbacks(
  rest: CallerOptions,
  { agentContext, recorder, registry, steers, policy, approvals, abortSignal }: StreamContext,
  {
    steering,
    recordVariables,
    onSteer,
    describe,
  }: {
    steering: Steering;
    recordVariables: () => void;
    onSteer: (steer: PendingSteer) => void;
    describe: (event: StepStart) => RequestChange;
  },
): Partial<StreamTextOptions> {
  const { sink, runContext } = agentContext;
  /** True once the tokens of the step's answer count. */
  let isCounted = false;
  return {
    onChunk: beforeCallback(({ chunk }) => {
      recorder.part(chunk);
      // such calls reach no tool, and a model may make any number of them
      if (chunk.type === 'tool-call' && chunk.invalid === true && chunk.providerExecuted !== true) {
        registry.invalid(chunk.toolName, chunk.input);
      }
    }, rest.onChunk),
    // without a listener, the AI SDK prints to the console; errors are in the log
    onError: rest.onError ?? (() => {}),
    onAbort: composeCallbacks((event) => recorder.aborted(event.reason), rest.onAbort),
    onStepError: composeCallbacks((event) => recorder.fail(event.error), rest.onStepError),
    onStepEnd: composeCallbacks(
      async (step) => {
        if (!isCounted) runContext.budget.addTokens(step.usage);
        isCounted = false;
        // a broken answer ends the run: its calls cannot be made
        if (recorder.failure === undefined && (approvals.requested || isPaused(step))) {
          const continues = await Promise.resolve(policy?.paused?.(step) ?? true).catch((error: unknown) =>
            recorder.fail(error),
          );
          return continues === true ? approvals.settle(steering, abortSignal) : undefined;
        }
        await steerLoop(step, steers, steering, sink, onSteer);
        if (policy === undefined || sink.ended) return;
        // the AI SDK continues whatever its callbacks throw
        await continueLoop(step, policy, steering, onSteer).catch((error: unknown) => recorder.fail(error));
      },
      rest.onStepEnd,
      rest.onStepFinish,
    ),
    onLanguageModelCallEnd: composeCallbacks((event) => {
      recorder.calls.answered(event);
      // the tokens of a failed answer count with its error or its step
      if (event.finishReason === 'error') return;
      // they are spent, also if the step does not end, so only the next call can be refused
      runContext.budget.addTokens(event.usage);
      isCounted = true;
    }, rest.onLanguageModelCallEnd ?? rest.experimental_onLanguageModelCallEnd),
    // a transform of the caller may have swallowed the last part of the stream
    onEnd: composeCallbacks((event) => recorder.finish(event.finishReason), rest.onEnd, rest.onFinish),
    onStepStart: composeCallbacks((event) => {
      recordVariables();
      recorder.stepStarted({
        type: 'step-start',
        step: event.stepNumber,
        request: describe(event),
      });
    }, rest.onStepStart ?? rest.experimental_onStepStart),
  };
}

/** True if Anthropic has paused its own tools inside an answer, and continues the answer once it is sent back. */
function isPaused({ rawFinishReason }: StepResult<ToolSet, UserContext>): boolean {
  return rawFinishReason === 'pause_turn';
}
