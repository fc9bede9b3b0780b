import { countOf, type Charge, type ReportedUsage } from '../../limits/charge.ts';
import type { ReportedByModel } from './metered-model.ts';

/** What a model was charged in a run. */
export type ModelUsage = {
  /** `provider:model`, as the AI SDK's model object names itself. */
  model: string;
  /** Tokens that it was sent. */
  inputTokens: number;
  /** Tokens that it answered, with those of its reasoning. */
  outputTokens: number;
  /** How many of `inputTokens` the provider read from its cache. */
  cachedInputTokens: number;
  /**
   * How many of all these the provider has not reported: of calls that were cut off, or that it reports wrongly. They count as
   * much as those calls could use at most.
   */
  reservedTokens: number;
  /** What it has cost, in the currency of `prices`. Missing where the model has no price. */
  cost?: number;
};

/** Adds a call to what its model has used. */
export function addUsage(
  used: Map<string, ModelUsage>,
  model: string,
  charge: Charge,
  cost: number | undefined,
): void {
  const before = used.get(model);
  const tokens = charge.input + charge.output;
  used.set(model, {
    model,
    inputTokens: charge.input + (before?.inputTokens ?? 0),
    outputTokens: charge.output + (before?.outputTokens ?? 0),
    cachedInputTokens: charge.cachedInput + (before?.cachedInputTokens ?? 0),
    reservedTokens: (charge.basis === 'reported' ? 0 : tokens) + (before?.reservedTokens ?? 0),
    ...(cost === undefined ? {} : { cost: cost + (before?.cost ?? 0) }),
  });
}

/** What a model says that a call has used, as far as it can be. */
export function reportedUsage(usage: ReportedByModel | undefined): ReportedUsage {
  const { inputTokens, outputTokens } = (usage ?? {}) as Partial<ReportedByModel>;
  const output = countOf(outputTokens?.total);
  return {
    input: countOf(inputTokens?.total),
    // reasoning is a part of the answer, and a total without it is none
    output: output === undefined ? undefined : Math.max(output, countOf(outputTokens?.reasoning) ?? 0),
    cachedInput: countOf(inputTokens?.cacheRead),
    cacheWrite: countOf(inputTokens?.cacheWrite),
  };
}
