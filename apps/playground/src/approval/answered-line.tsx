import type { RequestAnswer } from '@cueline/core';
import { Check, X } from 'lucide-react';
import { visibleText } from '../transcript/content/visible-text.ts';

/** What the person said about a tool call, in a line. */
export function AnsweredLine({ answer }: { answer: RequestAnswer }) {
  const Icon = answer.approve === true || 'output' in answer ? Check : X;
  return (
    <p className="flex items-start gap-1.5 border-t border-line px-2.5 py-1.5 text-sm text-ink-2">
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-3" />
      <span className="min-w-0 wrap-anywhere">{labelOf(answer)}</span>
    </p>
  );
}

function labelOf(answer: RequestAnswer): string {
  if ('output' in answer) return 'You answered.';
  if ('error' in answer) return `You answered that it failed: ${answer.error}`;
  if (!answer.approve) return answer.reason === undefined ? 'You refused.' : `You refused: ${answer.reason}`;
  return answer.input === undefined
    ? 'You approved.'
    : `You approved, with your arguments: ${visibleText(JSON.stringify(answer.input))}`;
}
