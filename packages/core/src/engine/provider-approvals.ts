import type { Experimental_Steering as Steering, ModelMessage, ToolModelMessage } from 'ai';
import { createId } from '../base/create-id.ts';
import type { ApprovalResponse } from '../log/events.ts';
import { toJson } from '../messages/to-json.ts';
import type { AgentContext } from '../tool-calls/run-context.ts';
import type { ApprovalRequestPart } from './recording/recorder.ts';

/** Keeps the AI SDK from ending the run. It is removed before anything is sent. */
const PLACEHOLDER = '[the provider continues]';

/** Approvals that a provider asks for before it runs calls itself, such as those of an MCP server. */
export type ProviderApprovals = {
  /** True if the step has asked for an approval that is not answered yet. */
  readonly requested: boolean;
  /** Adds an approval that the current step asks for. */
  add(part: ApprovalRequestPart): void;
  /** Asks for the approvals of the step, if any, waits for the answers, and lets the run continue with them. */
  settle(steering: Steering, signal: AbortSignal): Promise<void>;
  /** Takes over the answers that came after the last step of another process. */
  resume(earlier: ToolModelMessage['content']): void;
  /** Returns the answers for the next step, and removes the placeholder from its messages. */
  take(): ToolModelMessage | undefined;
};

export function createProviderApprovals({ runContext, path, sink }: AgentContext): ProviderApprovals {
  let requested: ApprovalRequestPart[] = [];
  let answers: ToolModelMessage['content'] = [];

  async function ask(
    { approvalId, toolCall, reason }: ApprovalRequestPart,
    signal: AbortSignal,
  ): Promise<void> {
    const { toolCallId, toolName, input } = toolCall;
    const response = await runContext.pending.requestApproval(
      {
        approvalId,
        toolCallId,
        toolName,
        input: toJson(input, runContext.secrets),
        ...(reason === undefined ? {} : { reason }),
        providerExecuted: true,
      },
      signal,
      path,
    );
    answers.push(...responseParts(approvalId, toolCall, response));
  }

  return {
    get requested() {
      return requested.length > 0;
    },
    add: (part) => void requested.push(part),
    async settle(steering, signal) {
      if (sink.ended) return;
      const now = requested;
      requested = [];
      try {
        await Promise.all(now.map((part) => ask(part, signal)));
      } catch {
        // the run was stopped meanwhile
        return;
      }
      void steering.steer(PLACEHOLDER, { id: createId('approvals') });
    },
    resume: (earlier) => void answers.push(...earlier),
    take() {
      if (answers.length === 0) return undefined;
      const message: ToolModelMessage = { role: 'tool', content: answers };
      answers = [];
      return message;
    },
  };
}

/** True for the placeholder that stands for the answers until they are sent. */
export function isPlaceholder({ role, content }: ModelMessage): boolean {
  return role === 'user' && content === PLACEHOLDER;
}

/**
 * Separates the answers at the end of a conversation from it, because they are new to the provider. The AI SDK would
 * take them for those of an earlier run.
 */
export function separateAnswers(messages: readonly ModelMessage[]): {
  messages: ModelMessage[];
  answers: ToolModelMessage['content'];
} {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return { messages: [...messages], answers: [] };
  const isAnswer = (part: ToolModelMessage['content'][number]): boolean =>
    part.type === 'tool-approval-response'
      ? part.providerExecuted === true
      : part.output.type === 'execution-denied';
  const rest = last.content.filter((part) => !isAnswer(part));
  return {
    messages: [...messages.slice(0, -1), ...(rest.length === 0 ? [] : [{ ...last, content: rest }])],
    answers: last.content.filter(isAnswer),
  };
}

/** Returns the answers in the AI SDK's form for a client. */
function responseParts(
  approvalId: string,
  { toolCallId, toolName, providerMetadata }: ApprovalRequestPart['toolCall'],
  reply: ApprovalResponse,
): ToolModelMessage['content'] {
  const reason = reply.approved || reply.reason === undefined ? {} : { reason: reply.reason };
  const response = {
    type: 'tool-approval-response' as const,
    approvalId,
    approved: reply.approved,
    ...reason,
    providerExecuted: true,
  };
  if (reply.approved) return [response];
  const output = { type: 'execution-denied' as const, ...reason };
  const more = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  return [response, { type: 'tool-result', toolCallId, toolName, output, ...more }];
}
