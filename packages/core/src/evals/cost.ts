import type { LanguageModelUsage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import type { RunEvent, TokenUsage } from '../log/events.ts';

/** The price of a model for each million tokens. */
export type EvalPrice = {
  readonly input: number;
  readonly output: number;
  /** Input that the provider reads from its cache. Default: the price of `input`. */
  readonly cachedInput?: number;
  /**
   * Input that the provider writes into its cache. Default: 1.25 times `input`, as Anthropic charges for five
   * minutes. It charges twice `input` for an hour.
   */
  readonly cacheWrite?: number;
};

/** Prices by model: `provider:id`, such as `openai:gpt-4o`, or the id alone. */
export type EvalPrices = Readonly<Record<string, EvalPrice>>;

const MILLION = 1_000_000;

/** The default price of a cache write, as a multiple of `input`. */
const CACHE_WRITE = 1.25;

/** @throws CuelineError `invalid_options` */
export function checkPrices(prices: EvalPrices): void {
  for (const [model, price] of Object.entries(prices)) {
    const isPrice = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < Infinity;
    const { input, output, cachedInput = 0, cacheWrite = 0 } = isRecord(price) ? price : {};
    if ([input, output, cachedInput, cacheWrite].every(isPrice)) continue;
    throw new CuelineError(
      'invalid_options',
      `prices["${model}"] is not a price. Write { input, output }, each per million tokens, such as { input: 2.5, output: 10 }.`,
    );
  }
}

/**
 * Returns what a run cost, with all its agents and with model calls that were tried again; undefined if a model has no
 * price.
 */
export function costOf(log: readonly RunEvent[], prices: EvalPrices): number | undefined {
  const models = new Map<string | undefined, string>();
  /** The agents whose step has its answer before its end, or has no end. */
  const answered = new Set<string | undefined>();
  let cost = 0;
  for (const event of log) {
    if (event.type === 'step-start') answered.delete(event.agent);
    // a hook may change the model from step to step
    if (event.type === 'step-start' && event.request.model !== undefined)
      models.set(event.agent, event.request.model);
    if (event.type !== 'step-end' && event.type !== 'model-call-end' && event.type !== 'retry') continue;
    if (event.type === 'step-end' && answered.has(event.agent)) continue;
    if (event.type === 'model-call-end') answered.add(event.agent);
    const own = costOfTokens({ model: models.get(event.agent) ?? '', ...countsOf(event.usage) }, prices);
    if (own === undefined) return undefined;
    cost += own;
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

/** Tokens of a model, of which `cachedInputTokens` and `cacheWriteTokens` are parts of `inputTokens`. */
type TokenCounts = {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  cacheWriteTokens?: number;
};

/** Returns what the tokens of a model cost; undefined if it has no price. */
export function costOfTokens(
  { model, ...tokens }: Readonly<TokenCounts> & { readonly model: string },
  prices: EvalPrices,
): number | undefined {
  const price = priceOf(prices, model);
  return price === undefined ? undefined : tokenCost(tokens, price);
}

function countsOf(usage: (TokenUsage & Partial<LanguageModelUsage>) | undefined): TokenCounts {
  return {
    inputTokens: toCount(usage?.inputTokens),
    outputTokens: toCount(usage?.outputTokens),
    cachedInputTokens: toCount(usage?.inputTokenDetails?.cacheReadTokens),
    cacheWriteTokens: toCount(usage?.inputTokenDetails?.cacheWriteTokens),
  };
}

/** Returns a count of tokens as a provider states it; 0 if it states none. */
export function toCount(tokens: number | undefined): number {
  return isCount(tokens) ? tokens : 0;
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

function tokenCost(
  { inputTokens, outputTokens, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 }: TokenCounts,
  { input, output, cachedInput = input, cacheWrite = input * CACHE_WRITE }: EvalPrice,
): number {
  const rest = Math.max(0, inputTokens - cached - written);
  const sent = rest * input + cached * cachedInput + written * cacheWrite;
  return (sent + outputTokens * output) / MILLION;
}
