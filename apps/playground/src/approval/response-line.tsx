import { Check, X } from 'lucide-react';
import type { PendingResponse } from '../state/pending.ts';
import { Data } from '../ui/data/data-view.tsx';
import { visibleText } from '../ui/visible-text.ts';

/**
 * The response to a tool call, in a line; changed arguments are below it. It does not say who responded, because the
 * run may come from a link.
 */
export function ResponseLine({ response }: { response: PendingResponse }) {
  const isPositive = 'approved' in response ? response.approved : 'output' in response;
  const changed = 'approved' in response && response.approved ? response.input : undefined;
  const Icon = isPositive ? Check : X;
  return (
    <div className="flex items-start gap-1.5 border-t border-line px-2.5 py-1.5 text-sm text-ink-2">
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-3" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p>{visibleText(labelOf(response))}</p>
        {changed !== undefined && (
          <div className="scroll mt-1 max-h-[24vh]">
            <Data value={changed} />
          </div>
        )}
      </div>
    </div>
  );
}

function labelOf(response: PendingResponse): string {
  if ('output' in response) return 'Answered.';
  if ('error' in response) return `Answered with an error: ${response.error}`;
  if (!response.approved) {
    return response.reason === undefined ? 'Refused.' : `Refused: ${response.reason}`;
  }
  return response.input === undefined ? 'Approved.' : 'Approved, with changed arguments:';
}
