import type { ApprovalState, ToolCallState } from '@cueline/core';
import type { UIMessage } from 'ai';
import { memo } from 'react';
import { Markdown } from '../ui/markdown.tsx';
import { ToolCard } from './tool-card.tsx';

type MessageProps = {
  message: UIMessage;
  /** The calls of the run, which have more details than the parts of the message; missing for earlier turns. */
  toolCalls?: readonly ToolCallState[] | undefined;
  /** Their approvals. */
  approvals?: readonly ApprovalState[] | undefined;
};

/** One message, part by part. A message that does not change keeps its identity, and is not rendered again. */
export const Message = memo(function Message({ message, toolCalls, approvals }: MessageProps) {
  if (message.role === 'user') {
    return (
      <div className="max-w-[85%] self-end rounded-2xl rounded-br-md bg-hover px-3.5 py-2 text-lg wrap-anywhere whitespace-pre-wrap">
        <span className="sr-only">You: </span>
        {message.parts.map((part) => (part.type === 'text' ? part.text : ''))}
      </div>
    );
  }
  return (
    <div data-message="assistant" className="flex flex-col gap-2.5">
      {message.parts.map((part, index) => {
        if (part.type === 'text') return <Markdown key={index} text={part.text} />;
        // the condition of the AI SDK's isToolUIPart; importing that would load the SDK before any run has started
        if (!('toolCallId' in part)) return null;
        const call = toolCalls?.find(({ toolCallId }) => toolCallId === part.toolCallId);
        const approval = approvals?.findLast(({ toolCallId }) => toolCallId === part.toolCallId);
        return <ToolCard key={part.toolCallId} part={part} call={call} response={approval?.response} />;
      })}
    </div>
  );
});
