import type { StepState } from '@cueline/core';
import { clsx } from 'clsx';
import { formatCount, plural } from '../ui/format.ts';
import { DefinitionName, type NamedKind } from './definition-name.tsx';
import { costOfUsage, formatCost, usePrice } from './prices.ts';
import { FactList, Nothing, Section } from './section.tsx';
import { estimateRequest, readUsage, type StepUsage, type TokenRow } from './token-rows.ts';

/** What a step's request costs: the provider's count, and the estimate for each definition. */
export function TokenSection({ step, simulated }: { step: StepState; simulated: boolean }) {
  const estimate = estimateRequest(step.request);
  const usage = readUsage(step);
  return (
    <Section title="Tokens" hint={usageHint(usage, estimate?.total)}>
      <FactList
        rows={[...usageRows(usage), { name: 'Cost', value: <Cost {...{ step, usage, simulated }} /> }]}
      />
      {estimate === undefined ? (
        <Nothing>The tokens of this request cannot be estimated.</Nothing>
      ) : (
        <Table rows={estimate.rows} total={estimate.total} />
      )}
    </Section>
  );
}

function usageHint({ input, output }: StepUsage, estimate: number | undefined): string {
  if (input === undefined) return estimate === undefined ? '' : `about ${formatCount(estimate)} in`;
  return `${formatCount(input)} in → ${formatCount(output ?? 0)} out`;
}

function usageRows({ input, cached, output, reasoning }: StepUsage): { name: string; value: string }[] {
  if (input === undefined && output === undefined) {
    return [{ name: 'Counted by the provider', value: 'Not yet, or not at all' }];
  }
  const count = (tokens: number | undefined, inside: number | undefined, what: string): string =>
    `${tokens === undefined ? 'unknown' : tokens.toLocaleString('en')}${inside ? `, ${inside.toLocaleString('en')} ${what}` : ''}`;
  return [
    { name: 'Input, counted', value: count(input, cached, 'from the cache') },
    { name: 'Output, counted', value: count(output, reasoning, 'for reasoning') },
  ];
}

type CostProps = { step: StepState; usage: StepUsage; simulated: boolean };

function Cost({ step, usage, simulated }: CostProps) {
  if (simulated) return 'Simulated, free';
  return <ListPrice model={step.request.model} usage={usage} />;
}

function ListPrice({ model, usage }: { model: string; usage: StepUsage }) {
  const price = usePrice(model);
  if (price === undefined) return 'No price known for this model';
  const cost = costOfUsage(usage, price);
  return cost === undefined ? 'Not known yet' : `${formatCost(cost)} at list price`;
}

/** Room for the number beside the longest bar, in pixels. */
const NUMBER_WIDTH = 56;

function Table({ rows, total }: { rows: readonly TokenRow[]; total: number }) {
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
          <tr key={`${row.kind} ${row.name}`} className="h-7">
            <th scope="row" className="truncate pr-2 text-left font-normal">
              {isDefinition(row.kind) ? <DefinitionName kind={row.kind} name={row.name} /> : labelOf(row)}
            </th>
            <td className="relative text-right text-ink-2">
              <span
                aria-hidden
                style={{ width: `calc((100% - ${NUMBER_WIDTH}px) * ${row.tokens / largest})` }}
                className={clsx(
                  'absolute top-1/2 left-0 h-1.5 min-w-0.5 -translate-y-1/2 rounded-sm',
                  bars[row.kind],
                )}
              />
              {row.tokens.toLocaleString('en')}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="h-7 border-t border-line">
          <th scope="row" className="text-left font-normal text-ink-3">
            Total
          </th>
          <td className="text-right font-medium">{total.toLocaleString('en')}</td>
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
  instructions: 'bg-ink-3',
  others: 'bg-ink-3',
};

function isDefinition(kind: TokenRow['kind']): kind is NamedKind {
  return kind === 'variable' || kind === 'system' || kind === 'tool';
}

function labelOf({ kind, count }: TokenRow): string {
  if (kind === 'message') return plural(count, 'message');
  return kind === 'others' ? `${formatCount(count)} smaller ones` : 'Rest of the system prompt';
}
