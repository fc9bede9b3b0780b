import type { ModelMessage, StepResult, ToolSet } from 'ai';
import { toModelOutput } from '../../messages/tool-output.ts';
import type { UserContext } from '../../prompt/call-settings.ts';
import { isSuspension, type SuspendedCall } from '../../tools/suspend.ts';

/** The result of a suspended call, if the conversation continues without its real result. */
const UNANSWERED =
  'This call waits for an answer, which has not come. What the user says after it may be the answer.';

/** Returns the suspended calls of a step, in the order in which the model made them. */
export function suspensionsOf({ toolCalls, toolResults }: StepResult<ToolSet, UserContext>): SuspendedCall[] {
  const outputs = new Map(toolResults.map(({ toolCallId, output }) => [toolCallId, output as unknown]));
  return toolCalls.flatMap(({ toolCallId, toolName, providerExecuted }) => {
    const output = outputs.get(toolCallId);
    return isSuspension(output) && providerExecuted !== true
      ? [{ toolCallId, toolName, payload: output.payload }]
      : [];
  });
}

/** Returns a message of an earlier start with that result for each suspended call. */
export function withoutSuspensions(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) =>
    part.type === 'tool-result' && part.output.type === 'json' && isSuspension(part.output.value)
      ? { ...part, output: { type: 'error-text' as const, value: UNANSWERED } }
      : part,
  );
  return content.some((part, at) => part !== message.content[at]) ? { ...message, content } : message;
}

/** Returns messages without the results of suspended calls, which are still to come. */
export function withoutPending(
  messages: readonly ModelMessage[],
  suspended: readonly SuspendedCall[],
): readonly ModelMessage[] {
  if (suspended.length === 0) return messages;
  const pending = new Set(suspended.map(({ toolCallId }) => toolCallId));
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'tool') return [message];
    const content = message.content.filter(
      (part) => part.type !== 'tool-result' || !pending.has(part.toolCallId),
    );
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** Returns a tool whose own conversion for the model is not used for a result that is still to come. */
export function withSuspension(tool: ToolSet[string]): ToolSet[string] {
  const { toModelOutput: own } = tool;
  if (own === undefined) return tool;
  return {
    ...tool,
    toModelOutput: (result: Parameters<typeof own>[0]) =>
      isSuspension(result.output) ? toModelOutput(result.output) : own(result),
  };
}
