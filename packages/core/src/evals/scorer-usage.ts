import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { canonicalJson } from '../json/canonical.ts';
import type { RunState } from '../log/state.ts';
import { costOfTokens, isCount, toCount, type EvalPrices } from './cost.ts';

/** The tokens of the model calls that a scorer makes. */
export type ModelUsage = {
  /** The model as prices name it: `provider:id`, or the id alone. */
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input that the provider read from its cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that the provider wrote into its cache. */
  readonly cacheWriteTokens?: number;
};

/** What the model calls of a scorer used for one run, such as those of a judge. */
export type ScorerUsage = ModelUsage & {
  readonly scorer: string;
  /** In the currency of the prices; missing without a price for the model. */
  readonly cost?: number;
};

/** Returns what a scorer's own run used. */
export function usageOf({ model, steps, usage: { inputTokens, outputTokens } }: RunState): ModelUsage {
  const sumOf = (part: 'cacheReadTokens' | 'cacheWriteTokens'): number =>
    steps.reduce((sum, { usage }) => sum + toCount(usage?.inputTokenDetails?.[part]), 0);
  const [cachedInputTokens, cacheWriteTokens] = [sumOf('cacheReadTokens'), sumOf('cacheWriteTokens')];
  return { model, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens };
}

/** Adds the usage that scorers report, by scorer and model. */
export type UsageCounter = {
  /** @throws CuelineError `invalid_options` */
  add(scorer: string, usage: ModelUsage): void;
  /** Undefined if no scorer reported any. */
  list(prices: EvalPrices | undefined): readonly ScorerUsage[] | undefined;
};

export function createUsageCounter(): UsageCounter {
  const entries = new Map<string, ModelUsage & { readonly scorer: string }>();
  return {
    add(scorer, reported) {
      const { model } = checkUsage(reported);
      const key = JSON.stringify([scorer, model]);
      const before = entries.get(key);
      const sum = (name: Exclude<keyof ModelUsage, 'model'>): number =>
        (before?.[name] ?? 0) + (reported[name] ?? 0);
      const [cached, written] = [sum('cachedInputTokens'), sum('cacheWriteTokens')];
      entries.set(key, {
        scorer,
        model,
        inputTokens: sum('inputTokens'),
        outputTokens: sum('outputTokens'),
        ...(cached === 0 ? {} : { cachedInputTokens: cached }),
        ...(written === 0 ? {} : { cacheWriteTokens: written }),
      });
    },
    list(prices = {}) {
      if (entries.size === 0) return undefined;
      return [...entries.values()].map((entry) => {
        const cost = costOfTokens(entry, prices);
        return cost === undefined ? entry : { ...entry, cost };
      });
    },
  };
}

/** What a scorer reports comes from its author's code. */
function checkUsage(usage: ModelUsage): ModelUsage {
  const {
    model,
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
  }: Partial<ModelUsage> = isRecord(usage) ? usage : {};
  const counts = [inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens];
  if (typeof model === 'string' && counts.every(isCount)) return usage;
  throw new CuelineError(
    'invalid_options',
    `it reported invalid usage, ${canonicalJson(usage)}. Report { model: 'openai:gpt-4o', inputTokens: 120, outputTokens: 30 }.`,
  );
}
