import type { UIMessage } from 'ai';
import { AGENT_CALL } from './chat-chunks.ts';
import type { ApprovalResponse, ClientToolResponse } from '../log/events.ts';
import type { TaskItem } from '../tasks/task.ts';
import { withoutRetried } from '../messages/without-retried.ts';
import { settleApprovals } from '../messages/settle-approvals.ts';

type Part = UIMessage['parts'][number];
type ToolPart = Extract<Part, { toolCallId: string }>;

/** The approvals that a message shows, by their ids, with what a person has answered and no run has heard yet. */
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
 * The results of the last step's calls, by the calls' ids. Which of them a client tool's are, and the client's own, knows
 * the run that waits for them.
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

/** A chat's messages as the turns of a run: without the task list, what agents asked, and what was tried again. */
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

/** The task list as the last answer of a chat left it. */
export function tasksIn(messages: readonly UIMessage[]): readonly TaskItem[] {
  const parts = messages.findLast(({ role }) => role === 'assistant')?.parts ?? [];
  const part = parts.findLast(({ type }) => type === 'data-tasks');
  const tasks = part !== undefined && 'data' in part ? part.data : undefined;
  return Array.isArray(tasks) ? (tasks as TaskItem[]) : [];
}

function isToolPart(part: Part): part is ToolPart {
  return 'toolCallId' in part;
}
