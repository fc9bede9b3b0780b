import { CuelineError, type SerializedError } from '@cueline/core';
import { addAmounts, zeroAmount } from '../../limits/amount.ts';
import { chargeOf, estimateTokens, noCharge, type Charge, type TokenCounts } from '../../limits/charge.ts';
import { worstInput } from '../../limits/input-size.ts';
import { isUnbilled } from '../../limits/is-unbilled.ts';
import type { Amount } from '../../limits/limit-store.ts';
import { costOf, priceOf, worstCost, type ModelPrice } from '../../limits/prices.ts';
import type { RouteSettings } from '../settings.ts';
import { meteredModel, type MeteredCall, type Model, type ModelCall } from './metered-model.ts';
import { addUsage, reportedUsage, type ModelUsage } from './model-usage.ts';
import { outputLengths, extraThinkingTokens } from './output-lengths.ts';
import { leastInput, promptSize } from './prompt-size.ts';
import { answerTooLongError, budgetTooSmallError, budgetUsedUpError } from './run-budget.ts';

/** An ended model call of a run, with its charge. */
export type ChargedCall = { model: string; ms: number; charge: Charge; cost: number | undefined };

/** Reserves what each model call of a run may use, before it is made, and charges what it used. */
export type RunMeter = {
  /** Returns the model with the meter around it. */
  wrap(model: Model): Model;
  /** Ends the calls in progress, with their whole reservations, and permits no others. */
  close(): void;
  /** Reserves the same again, so that the lease is extended. Never rejects. */
  renew(): Promise<void>;
  /** Returns the charges of the ended calls. */
  total(): Amount & { usage: readonly ModelUsage[] };
};

export type RunMeterOptions = {
  settings: Pick<RouteSettings, 'maxOutputTokens' | 'contextTokens' | 'prices'>;
  /** True if models without a price must not be called. */
  needsPrices: boolean;
  /** The tokens that the run may use by its own limits. */
  allowed: number;
  /** The tokens that it has used of these before. Default 0. */
  usedBefore?: number;
  /** Reserves what the run may have used when its calls in progress have ended. Throws if that is too much. */
  setAside(amount: Amount): Promise<void>;
  /** Reserves less, once a call has ended, or the same again. Default: `setAside`. */
  keepAside?(amount: Amount): Promise<void>;
  /** Throws if no call may begin at the moment. */
  checkOpen(): Promise<void>;
  /** Ends the run. */
  stop(error: SerializedError): void;
  onCharge(call: ChargedCall): void;
};

/**
 * How many times its reserved length an answer may have, by the estimate of four characters a token. A longer one
 * shows that the provider ignores the maximum length, because readable text never has so many characters a token.
 */
const MAX_OVERRUN = 4;
/** Shorter answers, in tokens, are not judged: a few tokens may well have more characters. */
const LEAST_JUDGED = 1_000;

type OpenCall = {
  readonly reserved: Amount;
  /** An estimate of the minimum tokens of its input. */
  readonly least: number;
  /** Characters of its answer so far. */
  receivedCharacters: number;
  readonly ended: MeteredCall['ended'];
};

/** The maximum use of a call. */
type Plan = {
  tokens: TokenCounts;
  reserved: Amount;
  least: number;
  /** An estimate of the tokens of its text. */
  text: number;
  maxOutputTokens: number;
};

/** Creates a meter for one run and its agents. */
export function createRunMeter(options: RunMeterOptions): RunMeter {
  return new Meter(options);
}

/** The meter of one run. Changes of its reservation are made one after the other. */
class Meter implements RunMeter {
  readonly #options: RunMeterOptions;
  readonly #usedBefore;
  readonly #open = new Set<OpenCall>();
  readonly #wrapped = new WeakMap<Model, Model>();
  readonly #used = new Map<string, ModelUsage>();
  #spent: Amount = zeroAmount;
  #closed = false;
  /** One change after the other, so that the store has the latest. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RunMeterOptions) {
    this.#options = options;
    this.#usedBefore = options.usedBefore ?? 0;
  }

  wrap(model: Model): Model {
    const known = this.#wrapped.get(model) ?? meteredModel(model, this.#begin);
    this.#wrapped.set(model, known);
    return known;
  }

  async renew(): Promise<void> {
    await this.#keepAside();
  }

  close(): void {
    this.#closed = true;
    for (const call of this.#open) call.ended({});
  }

  total(): Amount & { usage: readonly ModelUsage[] } {
    return { ...this.#spent, usage: [...this.#used.values()] };
  }

  readonly #begin = async (model: Model, call: ModelCall): Promise<MeteredCall> => {
    await this.#options.checkOpen();
    const price = this.#readPrice(model);
    const size = promptSize(call);
    const least = leastInput(size);
    const input = worstInput(size, model.modelId, this.#options.settings.contextTokens);
    const onTop = extraThinkingTokens(call, model.provider);
    return this.#inTurn(async () => {
      if (this.#closed) throw hasEnded();
      this.#checkOwnLimit(least);
      let refused: unknown;
      for (const maxOutputTokens of outputLengths(call, this.#options.settings.maxOutputTokens)) {
        const tokens = { input, output: maxOutputTokens + onTop };
        const cost = price === undefined ? 0 : worstCost(price, tokens);
        const reserved = { tokens: tokens.input + tokens.output, cost };
        try {
          await this.#options.setAside(addAmounts(this.#inProgress(), reserved));
          if (this.#closed) break;
          return this.#started(model, price, { tokens, reserved, least, text: size.text, maxOutputTokens });
        } catch (error) {
          refused = error;
          if (!CuelineError.isInstance(error) || error.code !== 'budget_exceeded') break;
        }
      }
      throw this.#closed ? hasEnded() : refused;
    });
  };

  /** The maximum use of the run when these calls have ended. */
  #inProgress(): Amount {
    return [...this.#open].reduce((sum, call) => addAmounts(sum, call.reserved), this.#spent);
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Throws, and ends the run, if its own limits are used up. */
  #checkOwnLimit(least: number): void {
    const error =
      this.#usedBefore + this.#spent.tokens >= this.#options.allowed
        ? budgetUsedUpError(this.#options.allowed)
        : this.#open.size > 0 && this.#estimateOfAll() + least > this.#options.allowed
          ? budgetTooSmallError(this.#options.allowed)
          : undefined;
    if (error === undefined) return;
    this.#options.stop(error);
    throw CuelineError.fromJSON(error);
  }

  async #keepAside(): Promise<void> {
    const { setAside, keepAside = setAside } = this.#options;
    await this.#inTurn(() => keepAside(this.#inProgress())).catch(() => {});
  }

  #estimateOfAll(): number {
    return [...this.#open].reduce(
      (sum, { least, receivedCharacters: heard }) => sum + least + estimateTokens(heard),
      this.#usedBefore + this.#spent.tokens,
    );
  }

  #heardOfAll(): number {
    return [...this.#open].reduce(
      (sum, { receivedCharacters: heard }) => sum + estimateTokens(heard),
      this.#usedBefore + this.#spent.tokens,
    );
  }

  #readPrice({ provider, modelId }: Model): ModelPrice | undefined {
    const price = priceOf(this.#options.settings.prices, provider, modelId);
    if (price !== undefined || !this.#options.needsPrices) return price;
    throw new CuelineError(
      'invalid_options',
      `There is no price for ${provider}:${modelId}, so its calls cannot be kept within limits.dailyCost. Add prices: { '${provider.split('.')[0]}:${modelId}': { input, output } }.`,
    );
  }

  #started(
    { provider, modelId }: Model,
    price: ModelPrice | undefined,
    { tokens, reserved, least, text, maxOutputTokens }: Plan,
  ): MeteredCall {
    const begun = performance.now();
    const model = `${provider}:${modelId}`;
    const ended: MeteredCall['ended'] = ({ usage, error, unsent }) => {
      if (!this.#open.delete(own)) return;
      const seen = { input: text, output: estimateTokens(own.receivedCharacters) };
      const isFree = unsent === true || isUnbilled(error);
      const charge = isFree ? noCharge : chargeOf(tokens, reportedUsage(usage), seen);
      const cost = price === undefined ? undefined : costOf(price, charge);
      this.#spent = addAmounts(this.#spent, { tokens: charge.input + charge.output, cost: cost ?? 0 });
      addUsage(this.#used, model, charge, cost);
      const ms = Math.round(performance.now() - begun);
      this.#options.onCharge({ model, ms, charge, cost });
      // what it has not used is free for others while tools work
      if (!this.#closed) void this.#keepAside();
    };
    const own: OpenCall = { reserved, least, receivedCharacters: 0, ended };
    this.#open.add(own);
    return {
      maxOutputTokens,
      receivedCharacters: (characters) => {
        own.receivedCharacters += characters;
        if (this.#options.allowed < Infinity && this.#heardOfAll() > this.#options.allowed)
          this.#options.stop(budgetUsedUpError(this.#options.allowed));
        const written = estimateTokens(own.receivedCharacters);
        if (written > Math.max(LEAST_JUDGED, MAX_OVERRUN * tokens.output))
          this.#options.stop(answerTooLongError(tokens.output));
      },
      ended,
    };
  }
}

function hasEnded(): CuelineError {
  return new CuelineError('aborted', 'The run has ended, so it calls no model.');
}
