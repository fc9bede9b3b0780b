import type { ModelMessage, StepResult, ToolSet } from 'ai';
import type { UserContext } from '../../prompt/prompt-options.ts';
import { isSuspension, type SuspendedCall } from '../../tools/suspend.ts';

/** The result of a suspended call, if the conversation continues without its real result. */
const UNANSWERED =
  'This call waits for an answer, which has not come. What the user says after it may be the answer.';

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

/** Returns the first call of a step that has no result and waits for no approval: no function runs it. */
export function unansweredCall({
  content,
  toolCalls,
}: StepResult<ToolSet, UserContext>): { toolName: string } | undefined {
  const settled = new Set(
    content.flatMap((part) => {
      if (part.type === 'tool-result' || part.type === 'tool-error') return [part.toolCallId];
      return part.type === 'tool-approval-request' ? [part.toolCall.toolCallId] : [];
    }),
  );
  return toolCalls.find(
    ({ toolCallId, providerExecuted }) => providerExecuted !== true && !settled.has(toolCallId),
  );
}

/** Returns the suspended calls of a step. */
export function suspensionsOf({ toolResults }: StepResult<ToolSet, UserContext>): SuspendedCall[] {
  return toolResults.flatMap(({ toolCallId, toolName, output }) =>
    isSuspension(output) ? [{ toolCallId, toolName, payload: output.payload }] : [],
  );
}
