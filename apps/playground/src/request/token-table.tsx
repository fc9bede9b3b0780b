import { clsx } from 'clsx';
import { formatCount, plural } from '../ui/format.ts';
import { DefinitionName, type NamedKind } from './definition-name.tsx';
import type { TokenRow } from './token-rows.ts';

/** Room for the number beside the longest bar, in pixels. */
const NUMBER_WIDTH = 56;

type TokenTableProps = { rows: readonly TokenRow[]; total: number };

/** The estimated tokens of each part of a request, with a bar for each. */
export function TokenTable({ rows, total }: TokenTableProps) {
  const largest = Math.max(1, ...rows.map(({ tokens }) => tokens));
  return (
    <table className="mt-2 w-full table-fixed text-sm">
      <thead>
        <tr className="text-left text-xs text-ink-3">
          <th scope="col" className="w-[48%] font-medium">
            Part of the request
          </th>
          <th scope="col" className="text-right font-medium">
            Tokens, estimated
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.kind} ${row.name}`} className="h-7 narrow:h-11">
            <th
              scope="row"
              className={clsx('pr-2 text-left font-normal', isDefinition(row.kind) && 'truncate')}
            >
              {isDefinition(row.kind) ? <DefinitionName kind={row.kind} name={row.name} /> : labelOf(row)}
            </th>
            <td className="relative text-right text-ink-2">
              <span
                aria-hidden
                style={{ width: `calc((100% - ${NUMBER_WIDTH}px) * ${row.tokens / largest})` }}
                className={clsx(
                  'absolute top-1/2 left-0 h-1.5 min-w-0.5 -translate-y-1/2 rounded-sm forced-color-adjust-none',
                  bars[row.kind],
                )}
              />
              {formatCount(row.tokens)}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="h-7 border-t border-line narrow:h-11">
          <th scope="row" className="text-left font-normal text-ink-3">
            Total
          </th>
          <td className="text-right font-medium">{formatCount(total)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

const bars: Record<TokenRow['kind'], string> = {
  variable: 'bg-text-kind',
  system: 'bg-thinking',
  tool: 'bg-tool',
  message: 'bg-ok',
  output: 'bg-ink-3',
  instructions: 'bg-ink-3',
  others: 'bg-ink-3',
};

function isDefinition(kind: TokenRow['kind']): kind is NamedKind {
  return kind === 'variable' || kind === 'system' || kind === 'tool';
}

function labelOf({ kind, count }: TokenRow): string {
  if (kind === 'message') return plural(count, 'message');
  if (kind === 'output') return 'Schema of the answer';
  return kind === 'others' ? `${formatCount(count)} smaller ones` : 'Rest of the system prompt';
}
