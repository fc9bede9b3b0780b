import type { StepResult, ToolSet } from 'ai';
import type { RunPast } from '../../log/run-past.ts';
import type { UserContext } from '../../prompt/call-settings.ts';
import { callPart, rebuildStep } from './rebuild-step.ts';

type Step = StepResult<ToolSet, UserContext>;

/**
 * Returns the steps that other processes have made, as conditions and hooks read them: number, calls with their
 * results, finish reason and tokens. They have no texts, files or warnings.
 */
export function rebuildPastSteps({ state, openStep, isInvalid }: RunPast): Step[] {
  return state.steps.flatMap(({ step, finishReason, usage }, stepIndex) => {
    const isOpen = openStep !== undefined && openStep.step === step;
    const end = isOpen ? openStep : { finishReason, usage };
    // the answer of this step is void
    if (end.finishReason === undefined) return [];
    const calls = state.toolCalls.filter((call) => call.step === stepIndex);
    const toolCalls = calls.map((call) => ({
      ...callPart('tool-call', call),
      ...(isInvalid(call) ? { invalid: true } : {}),
    }));
    const toolResults = calls.flatMap((call) =>
      call.state === 'output-available' ? [{ ...callPart('tool-result', call), output: call.output }] : [],
    );
    const { finishReason: reason, usage: tokens } = end;
    return [rebuildStep({ step, toolCalls, toolResults, finishReason: reason, usage: tokens })];
  });
}
