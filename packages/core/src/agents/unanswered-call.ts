import type { StepResult, ToolSet } from 'ai';
import type { UserContext } from '../prompt/call-settings.ts';

/**
 * Returns the first call of a step that has no result, because its tool has no function here. With `isAsking`, also
 * one that waits for an approval.
 */
export function unansweredCall(
  { content, toolCalls }: StepResult<ToolSet, UserContext>,
  { isAsking }: { isAsking: boolean },
): { toolName: string } | undefined {
  const settled = new Set(
    content.flatMap((part) => {
      if (part.type === 'tool-result' || part.type === 'tool-error') return [part.toolCallId];
      return part.type === 'tool-approval-request' && !isAsking ? [part.toolCall.toolCallId] : [];
    }),
  );
  return toolCalls.find(
    ({ toolCallId, providerExecuted }) => providerExecuted !== true && !settled.has(toolCallId),
  );
}
