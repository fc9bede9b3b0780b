import type { StepState } from '@cueline/core';
import { formatCost, formatCount } from '../../ui/format.ts';
import { FactList } from '../../ui/section.tsx';
import { costOfUsage, usePrice } from './prices.ts';
import type { StepUsage } from './step-usage.ts';

type CountedTokensProps = { step: StepState; usage: StepUsage; simulated: boolean };

/** The tokens of a step that the provider counted, and what they cost. */
export function CountedTokens({ step, usage, simulated }: CountedTokensProps) {
  const cost = simulated ? 'Simulated, free' : <ListPrice model={step.request.model} usage={usage} />;
  return (
    <>
      <FactList rows={[...usageRows(usage), { name: 'Cost', value: cost }]} />
      <p className="mt-1.5 text-xs text-ink-3">
        {simulated
          ? 'The demo model has no tokenizer: it counts as the estimate does, a token for every four characters.'
          : 'Counted: by the provider, with its own tokenizer. Estimated: a token for every four characters, so the two differ.'}
      </p>
    </>
  );
}

/** `1.2k in → 80 out`; undefined if the provider has not counted. */
export function usageHint({ input, output }: StepUsage): string | undefined {
  return input === undefined
    ? undefined
    : `${formatCount(input)} in → ${output === undefined ? '?' : formatCount(output)} out`;
}

function usageRows({
  input,
  cached,
  written,
  output,
  reasoning,
}: StepUsage): { name: string; value: string }[] {
  if (input === undefined && output === undefined) {
    return [{ name: 'Counted by the provider', value: 'Not yet, or not at all' }];
  }
  const count = (
    tokens: number | undefined,
    ...parts: readonly [tokens: number | undefined, what: string][]
  ): string =>
    [
      tokens === undefined ? 'unknown' : formatCount(tokens),
      ...parts.flatMap(([part, what]) => (part ? [`${formatCount(part)} ${what}`] : [])),
    ].join(', ');
  return [
    { name: 'Input, counted', value: count(input, [cached, 'from the cache'], [written, 'into the cache']) },
    { name: 'Output, counted', value: count(output, [reasoning, 'for reasoning']) },
  ];
}

function ListPrice({ model, usage }: { model: string; usage: StepUsage }) {
  const price = usePrice(model);
  if (price === undefined) return 'No price known for this model';
  const cost = costOfUsage(usage, price);
  return cost === undefined ? 'Not known yet' : `${formatCost(cost)} at list price`;
}
