import type { StepResult, ToolSet } from 'ai';
import type { RunPast } from '../../log/run-past.ts';
import type { ToolCallState } from '../../log/state.ts';
import type { UserContext } from '../../prompt/prompt-options.ts';

type Step = StepResult<ToolSet, UserContext>;

/**
 * Returns the steps that other processes have made, as conditions and hooks read them: number, calls with their results,
 * finish reason and tokens. They have no texts, files or warnings.
 */
export function pastSteps({ state, openStep, isInvalid }: RunPast): Step[] {
  return state.steps.flatMap(({ step, finishReason, usage }, place) => {
    const isOpen = openStep !== undefined && openStep.step === step;
    const end = isOpen ? openStep : { finishReason, usage };
    // the answer of this step is void
    if (end.finishReason === undefined) return [];
    const calls = state.toolCalls.filter((call) => call.step === place);
    const toolCalls = calls.map((call) => ({
      ...factsOf('tool-call', call),
      ...(isInvalid(call) ? { invalid: true } : {}),
    }));
    const toolResults = calls.flatMap((call) =>
      call.state === 'output-available' ? [{ ...factsOf('tool-result', call), output: call.output }] : [],
    );
    const { finishReason: reason, usage: tokens } = end;
    return [
      {
        stepNumber: step,
        content: [...toolCalls, ...toolResults],
        text: '',
        reasoning: [],
        files: [],
        sources: [],
        toolCalls,
        staticToolCalls: [],
        dynamicToolCalls: toolCalls,
        toolResults,
        staticToolResults: [],
        dynamicToolResults: toolResults,
        finishReason: reason,
        rawFinishReason: undefined,
        usage: tokens,
        warnings: [],
      } as unknown as Step,
    ];
  });
}

function factsOf<Type extends string>(
  type: Type,
  { toolCallId, toolName, input }: ToolCallState,
): { type: Type; toolCallId: string; toolName: string; input: unknown; dynamic: true } {
  return { type, toolCallId, toolName, input, dynamic: true };
}
