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

/** Tokens of a model, of which `cachedInputTokens` are a part of `inputTokens`. */
type TokenCounts = { inputTokens: number; outputTokens: number; cachedInputTokens?: number };

/** Returns what the tokens of a model cost; undefined if it has no price. */
export function costOfTokens(
  { model, ...tokens }: Readonly<TokenCounts> & { readonly model: string },
  prices: EvalPrices,
): number | undefined {
  const price = priceOf(prices, model);
  return price === undefined ? undefined : tokenCost(tokens, price);
}

function stepCost({ usage }: StepState, price: EvalPrice): number {
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = usage ?? {};
  const cachedInputTokens = inputTokenDetails?.cacheReadTokens ?? 0;
  return tokenCost({ inputTokens, outputTokens, cachedInputTokens }, price);
}

function tokenCost(
  { inputTokens, outputTokens, cachedInputTokens: cached = 0 }: TokenCounts,
  { input, output, cachedInput = input }: EvalPrice,
): number {
  const fresh = Math.max(0, inputTokens - cached);
  return (fresh * input + cached * cachedInput + outputTokens * output) / MILLION;
}
