import type { FinishReason, StepResult, ToolSet } from 'ai';
import type { UserContext } from '../../prompt/call-settings.ts';

/** A call of an earlier step. */
export type PastCall = { toolCallId: string; toolName: string; input?: unknown };

type PastStep = {
  step: number;
  text?: string;
  toolCalls: readonly object[];
  toolResults: readonly object[];
  toolErrors?: readonly object[];
  finishReason: FinishReason;
  usage: object | undefined;
};

/** Returns what is known of a step that another process made. It has no files, sources or warnings. */
export function rebuildStep({
  step,
  text = '',
  toolCalls,
  toolResults,
  toolErrors = [],
  finishReason,
  usage,
}: PastStep): StepResult<ToolSet, UserContext> {
  return {
    stepNumber: step,
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...toolCalls, ...toolResults, ...toolErrors],
    text,
    reasoning: [],
    files: [],
    sources: [],
    toolCalls,
    staticToolCalls: [],
    dynamicToolCalls: toolCalls,
    toolResults,
    staticToolResults: [],
    dynamicToolResults: toolResults,
    finishReason,
    rawFinishReason: undefined,
    usage,
    warnings: [],
  } as unknown as StepResult<ToolSet, UserContext>;
}

/** Returns a call, or its result or error, as a part of a step. */
export function callPart(
  type: 'tool-call' | 'tool-result' | 'tool-error',
  { toolCallId, toolName, input }: PastCall,
): object {
  return { type, toolCallId, toolName, input, dynamic: true };
}
