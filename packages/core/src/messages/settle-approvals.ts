import type { UIMessage } from 'ai';

type MessagePart = UIMessage['parts'][number];

/** The error of a call whose run ended before it had a result. */
const NO_RESULT = 'The run ended before this call had a result.';

/**
 * Returns the message without the approvals of calls that run here. If a call had one and no result, the AI SDK
 * would run it, but no tool may run because of the content of a message. The request to the model does not
 * change. An answered approval of the provider's own stays, because the provider continues with it.
 */
export function settleApprovals(message: UIMessage): UIMessage {
  if (message.role !== 'assistant' || !message.parts.some(hasApproval)) return message;
  return { ...message, parts: message.parts.flatMap((part) => (hasApproval(part) ? settle(part) : [part])) };
}

type ApprovalPart = Extract<MessagePart, { toolCallId: string }>;

function hasApproval(part: MessagePart): part is ApprovalPart {
  return 'toolCallId' in part && part.approval !== undefined;
}

function settle(part: ApprovalPart): MessagePart[] {
  if (part.providerExecuted === true) {
    return typeof part.approval?.approved === 'boolean' ? [part] : [];
  }
  const { approval, ...call } = part;
  if (part.state === 'output-available' || part.state === 'output-error') return [call as ApprovalPart];
  const refused = part.state !== 'approval-requested' && approval?.approved === false;
  const errorText = refused ? (approval.reason ?? 'Tool call execution denied.') : NO_RESULT;
  return [{ ...call, state: 'output-error', errorText } as ApprovalPart];
}
