import { CuelineError } from '@cueline/core';
import { checkNames } from '@cueline/core/server';
import { isCount } from './amount.ts';
import type { Charge, TokenCounts } from './charge.ts';

/** What a million tokens cost, in the currency of your limits. */
type Rates = {
  input: number;
  /** Includes hidden reasoning. */
  output: number;
  /** Input that the provider reads from its cache. Default: the price of `input`. */
  cachedInput?: number | undefined;
  /**
   * Input that the provider writes into its cache. Default: 1.25 times `input`, as Anthropic charges for five
   * minutes. It charges twice `input` for an hour.
   */
  cacheWrite?: number | undefined;
};

/** The price of a model for each million tokens, in the currency of your limits. */
export type ModelPrice = Rates & {
  /**
   * The price of a whole call with more than `above` tokens of input, cached input included. Some models cost twice
   * as much there. Default: the same price for each length.
   */
  longContext?: (Rates & { above: number }) | undefined;
};

/**
 * Prices by model: `provider:id`, such as `openai:gpt-4o`, or the id alone.
 *
 * @example
 * const prices: Prices = { 'openai:gpt-4o': { input: 2.5, output: 10, cachedInput: 1.25 } }; // dollars
 */
export type Prices = Readonly<Record<string, ModelPrice>>;

const MILLION = 1_000_000;

/** The default price of a cache write, as a multiple of `input`. */
const CACHE_WRITE = 1.25;

/** Every field of a price. The compiler compares these lists with the types. */
const rateNames: Record<keyof Rates, true> = {
  cachedInput: true,
  cacheWrite: true,
  input: true,
  output: true,
};
const priceNames: Record<keyof ModelPrice, true> = { ...rateNames, longContext: true };
const longNames: Record<keyof NonNullable<ModelPrice['longContext']>, true> = { ...rateNames, above: true };

/** Checks a table of prices. @throws CuelineError `invalid_options` */
export function checkPrices(prices: Prices | undefined, where: string): Prices {
  for (const [model, price] of Object.entries(prices ?? {})) {
    const name = `prices["${model}"]`;
    checkNames(`${where}: ${name}`, price ?? {}, Object.keys(priceNames), 'invalid_options');
    checkRates(price, `${where}: ${name}`);
    const long = price.longContext;
    if (long === undefined) continue;
    checkNames(`${where}: ${name}.longContext`, long, Object.keys(longNames), 'invalid_options');
    checkRates(long, `${where}: ${name}.longContext`);
    if (isCount(long.above)) continue;
    throw new CuelineError(
      'invalid_options',
      `${where}: ${name}.longContext has no number of tokens from which it applies. Write { above: 200_000, input, output }.`,
    );
  }
  return prices ?? {};
}

function checkRates(rates: Rates | undefined, name: string): void {
  const { input, output, cachedInput = 0, cacheWrite = 0 } = rates ?? ({} as Partial<Rates>);
  if ([input, output, cachedInput, cacheWrite].every(isCount)) return;
  throw new CuelineError(
    'invalid_options',
    `${name} is not a price. Write { input, output }, each per million tokens, such as { input: 2.5, output: 10 }.`,
  );
}

/** Providers whose packages use another name for themselves than model names do. */
const providerAliases: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^amazon-bedrock$/, 'bedrock'],
  [/^google\.vertex\b/, 'vertex'],
];

/**
 * Returns the price of a model, by the provider and id of the AI SDK's model object (`openai.responses`, `gpt-4o`).
 */
export function priceOf(prices: Prices, provider: string, modelId: string): ModelPrice | undefined {
  const asked = providerAliases.find(([pattern]) => pattern.test(provider))?.[1];
  const names = [
    `${provider}:${modelId}`,
    ...(asked === undefined ? [] : [`${asked}:${modelId}`]),
    `${provider.split('.')[0]}:${modelId}`,
    modelId,
  ];
  const name = names.find((each) => Object.hasOwn(prices, each));
  return name === undefined ? undefined : prices[name];
}

/** Returns the maximum cost of a call with these limits of tokens. */
export function worstCost({ longContext, ...rates }: ModelPrice, tokens: TokenCounts): number {
  const isLong = longContext !== undefined && tokens.input > longContext.above;
  return Math.max(...[rates, ...(isLong ? [longContext] : [])].map((each) => worstCostAt(each, tokens)));
}

function worstCostAt(
  { input, output, cacheWrite = input * CACHE_WRITE }: Rates,
  tokens: TokenCounts,
): number {
  return (tokens.input * Math.max(input, cacheWrite) + tokens.output * output) / MILLION;
}

/** Returns the cost of a call. */
export function costOf(price: ModelPrice, charge: Charge): number {
  // any part of it may have been written into the cache
  if (!charge.isInputReported) return worstCost(price, charge);
  const { longContext } = price;
  const rates = longContext !== undefined && charge.input > longContext.above ? longContext : price;
  const { input, output, cachedInput = input, cacheWrite = input * CACHE_WRITE } = rates;
  const rest = charge.input - charge.cachedInput - charge.cacheWrite;
  const sent = rest * input + charge.cachedInput * cachedInput + charge.cacheWrite * cacheWrite;
  return (sent + charge.output * output) / MILLION;
}
