import type { UIMessage } from 'ai';
import type { ApprovalResponse, ClientToolResponse } from '../log/events.ts';
import { settleApprovals } from '../messages/settle-approvals.ts';
import { withoutRetried } from '../messages/without-retried.ts';
import type { TaskItem } from '../tasks/task-item.ts';
import { AGENT_CALL } from './chat-chunks.ts';

type MessagePart = UIMessage['parts'][number];
type ToolPart = Extract<MessagePart, { toolCallId: string }>;

/** Returns the approvals of a message, by id, with the user's responses that no run has received yet. */
export function approvalsIn(message: UIMessage | undefined): Map<string, ApprovalResponse | undefined> {
  const approvals = new Map<string, ApprovalResponse | undefined>();
  if (message?.role !== 'assistant') return approvals;
  for (const part of message.parts) {
    if (!isToolPart(part)) continue;
    if (part.state === 'approval-requested') approvals.set(part.approval.id, undefined);
    if (part.state !== 'approval-responded' || part.approval.isAutomatic === true) continue;
    const { id, approved, reason } = part.approval;
    const why = reason === undefined ? {} : { reason };
    approvals.set(id, approved ? { approved } : { approved, ...why });
  }
  return approvals;
}

/**
 * Returns the results of the last step's calls, by the calls' ids. The waiting run knows which of them are of client
 * tools.
 */
export function outputsIn(message: UIMessage | undefined): Map<string, ClientToolResponse> {
  const outputs = new Map<string, ClientToolResponse>();
  if (message?.role !== 'assistant') return outputs;
  const { parts } = message;
  for (const part of parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)) {
    if (!isToolPart(part) || part.providerExecuted === true) continue;
    if (part.state === 'output-error') outputs.set(part.toolCallId, { error: part.errorText });
    if (part.state !== 'output-available' || part.preliminary === true) continue;
    outputs.set(part.toolCallId, { output: part.output });
  }
  return outputs;
}

/**
 * Returns a chat's messages as the turns of a run: without the task list, the calls of agents, and failed
 * attempts.
 */
export function toTurns(messages: readonly UIMessage[]): UIMessage[] {
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const own = withoutRetried(message).parts.filter(
      (part) =>
        part.type !== 'data-tasks' && !(isToolPart(part) && part.toolMetadata?.[AGENT_CALL] !== undefined),
    );
    return settleApprovals({ ...message, parts: own });
  });
}

/** Returns the task list at the end of the chat's last answer. */
export function tasksIn(messages: readonly UIMessage[]): readonly TaskItem[] {
  const parts = messages.findLast(({ role }) => role === 'assistant')?.parts ?? [];
  const part = parts.findLast(({ type }) => type === 'data-tasks');
  const tasks = part !== undefined && 'data' in part ? part.data : undefined;
  return Array.isArray(tasks) ? (tasks as TaskItem[]) : [];
}

function isToolPart(part: MessagePart): part is ToolPart {
  return 'toolCallId' in part;
}
