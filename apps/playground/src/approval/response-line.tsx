import { Check, X } from 'lucide-react';
import type { PendingResponse } from '../state/pending.ts';
import { visibleText } from '../ui/visible-text.ts';

/** The user's response to a tool call, in a line. */
export function ResponseLine({ response }: { response: PendingResponse }) {
  const isPositive = 'approved' in response ? response.approved : 'output' in response;
  const Icon = isPositive ? Check : X;
  return (
    <p className="flex items-start gap-1.5 border-t border-line px-2.5 py-1.5 text-sm text-ink-2">
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-3" />
      <span className="min-w-0 wrap-anywhere">{labelOf(response)}</span>
    </p>
  );
}

function labelOf(response: PendingResponse): string {
  if ('output' in response) return 'You answered.';
  if ('error' in response) return `You answered that it failed: ${response.error}`;
  if (!response.approved) {
    return response.reason === undefined ? 'You refused.' : `You refused: ${response.reason}`;
  }
  return response.input === undefined
    ? 'You approved.'
    : `You approved, with your arguments: ${visibleText(JSON.stringify(response.input))}`;
}
