import { countOf, type Charge, type ReportedUsage } from '../../limits/charge.ts';
import type { ReportedByModel } from './metered-model.ts';

/** The charge of a model in a run. */
export type ModelUsage = {
  /** `provider:model`, from the AI SDK's model object. */
  model: string;
  /** Input tokens. */
  inputTokens: number;
  /** Output tokens, including reasoning. */
  outputTokens: number;
  /** The part of `inputTokens` that the provider read from its cache. */
  cachedInputTokens: number;
  /**
   * The part of all these that the provider has not reported, of calls that were cut off or reported wrongly. They
   * count as much as those calls could use at most.
   */
  reservedTokens: number;
  /** The cost, in the currency of `prices`. Missing if the model has no price. */
  cost?: number;
};

/** Adds a call to its model's usage. */
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

/** Returns the usage that a model reports, as far as it is possible. */
export function reportedUsage(usage: ReportedByModel | undefined): ReportedUsage {
  const { inputTokens, outputTokens } = (usage ?? {}) as Partial<ReportedByModel>;
  return {
    input: countOf(inputTokens?.total),
    output: wholeOutput(outputTokens?.total, outputTokens?.reasoning),
    cachedInput: countOf(inputTokens?.cacheRead),
    cacheWrite: countOf(inputTokens?.cacheWrite),
  };
}

/**
 * Returns the reported output with its reasoning; undefined if it is not reported. Reasoning is a part of the output: a
 * total below it, as xAI has in Chat Completions, does not contain it.
 */
export function wholeOutput(total: unknown, reasoning: unknown): number | undefined {
  const output = countOf(total);
  const hidden = countOf(reasoning) ?? 0;
  return output === undefined || output >= hidden ? output : output + hidden;
}
