import type { TokenEstimate, TokenPart } from '@cueline/core';
import { MessageSquare, ScrollText, Variable, Wrench, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '../ui/format.ts';

/** How many rows there are at first. */
const FIRST_ROWS = 12;

const kinds: Record<TokenPart['kind'], { label: string; Icon: LucideIcon; text: string; bar: string }> = {
  system: { label: 'System part', Icon: ScrollText, text: 'text-thinking', bar: 'bg-thinking' },
  variable: { label: 'Variable', Icon: Variable, text: 'text-text-kind', bar: 'bg-text-kind' },
  instructions: { label: 'System text', Icon: ScrollText, text: 'text-ink-3', bar: 'bg-ink-3' },
  message: { label: 'Message', Icon: MessageSquare, text: 'text-ok', bar: 'bg-ok' },
  tool: { label: 'Tool', Icon: Wrench, text: 'text-tool', bar: 'bg-tool' },
};

/** The estimated tokens of a request, in total and for each definition. */
export function TokenTable({ tokens: { total, parts } }: { tokens: TokenEstimate }) {
  const [all, setAll] = useState(false);
  const shown = all ? parts.slice(0, 500) : parts.slice(0, FIRST_ROWS);
  return (
    <section aria-label="Tokens">
      <p className="flex items-baseline gap-2">
        <span className="text-xl font-semibold">{total.toLocaleString('en')}</span>
        <span className="text-ink-2">tokens, estimated</span>
      </p>
      <div aria-hidden className="mt-1.5 mb-2 flex h-1.5 gap-px overflow-hidden rounded-full bg-line">
        {parts.slice(0, 100).map(({ kind, tokens }, index) => (
          <span key={index} className={kinds[kind].bar} style={{ flexGrow: tokens, flexBasis: 0 }} />
        ))}
      </div>
      <table className="w-full">
        <caption className="sr-only">Estimated tokens of each definition</caption>
        <thead className="sr-only">
          <tr>
            <th>Definition</th>
            <th>Kind</th>
            <th>Tokens</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ kind, name, tokens }, index) => {
            const { label, Icon, text } = kinds[kind];
            return (
              <tr key={index} className="border-b border-line last:border-b-0">
                <td className="h-7 w-full max-w-0 pr-3">
                  <span className="flex items-center gap-2">
                    <Icon aria-hidden className={`size-3.5 shrink-0 ${text}`} />
                    <span className="min-w-0 truncate font-mono text-sm">{name}</span>
                  </span>
                </td>
                <td className="pr-3 text-sm whitespace-nowrap text-ink-3">{label}</td>
                <td className="text-right whitespace-nowrap">{formatCount(tokens)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length < parts.length && !all && (
        <button
          type="button"
          className="mt-1 text-sm text-text-kind underline narrow:min-h-11"
          onClick={() => setAll(true)}
        >
          Show all {parts.length.toLocaleString('en')} parts
        </button>
      )}
    </section>
  );
}
