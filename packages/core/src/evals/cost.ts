import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import type { RunState, StepState } from '../log/state.ts';

/** The price of a model for each million tokens. */
export type EvalPrice = {
  readonly input: number;
  readonly output: number;
  /** Input that the provider reads from its cache. Default: the price of `input`. */
  readonly cachedInput?: number;
};

/** Prices by model: `provider:id`, such as `openai:gpt-4o`, or the id alone. */
export type EvalPrices = Readonly<Record<string, EvalPrice>>;

const MILLION = 1_000_000;

/** @throws CuelineError `invalid_options` */
export function checkPrices(prices: EvalPrices): void {
  for (const [model, price] of Object.entries(prices)) {
    const isPrice = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < Infinity;
    const { input, output, cachedInput = 0 } = isRecord(price) ? price : {};
    if ([input, output, cachedInput].every(isPrice)) continue;
    throw new CuelineError(
      'invalid_options',
      `prices["${model}"] is not a price. Write { input, output }, each per million tokens, such as { input: 2.5, output: 10 }.`,
    );
  }
}

/** Returns what a run cost, with all its agents; undefined if a model has no price. */
export function costOf(state: RunState, prices: EvalPrices): number | undefined {
  let cost = 0;
  for (const { model, steps } of [state, ...state.agents]) {
    if (steps.length === 0) continue;
    const price = priceOf(prices, model);
    if (price === undefined) return undefined;
    cost += steps.reduce((sum, step) => sum + stepCost(step, price), 0);
  }
  return cost;
}

/** `model` is `openai.responses:gpt-4o`: the package, the API, the id. */
function priceOf(prices: EvalPrices, model: string): EvalPrice | undefined {
  const colon = model.indexOf(':');
  const [provider, id] = [model.slice(0, colon), model.slice(colon + 1)];
  const name = [model, `${provider.split('.')[0]}:${id}`, id].find((each) => Object.hasOwn(prices, each));
  return name === undefined ? undefined : prices[name];
}

function stepCost({ usage }: StepState, { input, output, cachedInput = input }: EvalPrice): number {
  const cached = usage?.inputTokenDetails?.cacheReadTokens ?? 0;
  const fresh = Math.max(0, (usage?.inputTokens ?? 0) - cached);
  return (fresh * input + cached * cachedInput + (usage?.outputTokens ?? 0) * output) / MILLION;
}
