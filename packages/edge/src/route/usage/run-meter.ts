import { CuelineError, type SerializedError } from '@cueline/core';
import { add, nothing } from '../../limits/amount.ts';
import { chargeOf, estimateTokens, noCharge, type Charge, type TokenCounts } from '../../limits/charge.ts';
import { worstInput } from '../../limits/input-size.ts';
import type { Amount } from '../../limits/limit-store.ts';
import { costOf, priceOf, worstCost, type ModelPrice } from '../../limits/prices.ts';
import { isUnbilled } from '../../limits/unbilled.ts';
import { addUsage, reportedUsage, type ModelUsage } from './model-usage.ts';
import { outputLengths, thinkingOnTop } from './output-lengths.ts';
import { leastInput, promptSize } from './prompt-size.ts';
import { meteredModel, type MeteredCall, type Model, type ModelCall } from './metered-model.ts';
import { budgetTooSmallError, budgetUsedUpError } from './run-budget.ts';
import type { RouteSettings } from '../settings.ts';

/** An ended model call of a run, with its charge. */
export type ChargedCall = { model: string; ms: number; charge: Charge; cost: number | undefined };

/** Reserves what each model call of a run may use, before it is made, and charges what it used. */
export type RunMeter = {
  /** Returns the model with the meter around it. */
  wrap(model: Model): Model;
  /** Ends the calls in progress, with their whole reservations, and permits no others. */
  close(): void;
  /** Returns the charges of the ended calls. */
  total(): Amount & { usage: readonly ModelUsage[] };
};

export type RunMeterOptions = {
  settings: Pick<RouteSettings, 'maxOutputTokens' | 'contextTokens' | 'prices'>;
  /** True if models without a price must not be called. */
  needsPrices: boolean;
  /** The tokens that the run may use by its own limits. */
  allowed: number;
  /** Reserves what the run may have used when its calls in progress have ended. Throws if that is too much. */
  setAside(amount: Amount): Promise<void>;
  /** Throws if no call may begin at the moment. */
  checkOpen(): Promise<void>;
  /** Ends the run. */
  stop(error: SerializedError): void;
  onCharge(call: ChargedCall): void;
};

type OpenCall = {
  readonly reserved: Amount;
  /** An estimate of the minimum tokens of its input. */
  readonly least: number;
  /** Characters of its answer so far. */
  heard: number;
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
  const { settings, needsPrices, allowed, stop } = options;
  const { prices, contextTokens } = settings;
  const open = new Set<OpenCall>();
  const wrapped = new WeakMap<Model, Model>();
  const used = new Map<string, ModelUsage>();
  let spent: Amount = nothing;
  let closed = false;
  /** One change after the other, so that the store has the latest. */
  let last: Promise<unknown> = Promise.resolve();

  /** The maximum use of the run when these calls have ended. */
  const underWay = (): Amount => [...open].reduce((sum, call) => add(sum, call.reserved), spent);

  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  /** Throws, and ends the run, if its own limits are used up. */
  function checkOwnLimit(least: number): void {
    const error =
      spent.tokens >= allowed
        ? budgetUsedUpError(allowed)
        : open.size > 0 && estimateOfAll() + least > allowed
          ? budgetTooSmallError(allowed)
          : undefined;
    if (error === undefined) return;
    stop(error);
    throw CuelineError.fromJSON(error);
  }

  function estimateOfAll(): number {
    return [...open].reduce((sum, { least, heard }) => sum + least + estimateTokens(heard), spent.tokens);
  }

  function heardOfAll(): number {
    return [...open].reduce((sum, { heard }) => sum + estimateTokens(heard), spent.tokens);
  }

  function readPrice({ provider, modelId }: Model): ModelPrice | undefined {
    const price = priceOf(prices, provider, modelId);
    if (price !== undefined || !needsPrices) return price;
    throw new CuelineError(
      'invalid_options',
      `There is no price for ${provider}:${modelId}, so its calls cannot be kept within limits.dailyCost. Add prices: { '${provider.split('.')[0]}:${modelId}': { input, output } }.`,
    );
  }

  async function begin(model: Model, call: ModelCall): Promise<MeteredCall> {
    await options.checkOpen();
    const price = readPrice(model);
    const size = promptSize(call);
    const least = leastInput(size);
    const input = worstInput(size, model.modelId, contextTokens);
    const onTop = thinkingOnTop(call, model.provider);
    return inTurn(async () => {
      if (closed) throw hasEnded();
      checkOwnLimit(least);
      let refused: unknown;
      for (const maxOutputTokens of outputLengths(call, settings.maxOutputTokens)) {
        const tokens = { input, output: maxOutputTokens + onTop };
        const cost = price === undefined ? 0 : worstCost(price, tokens);
        const reserved = { tokens: tokens.input + tokens.output, cost };
        try {
          await options.setAside(add(underWay(), reserved));
          if (closed) break;
          return started(model, price, { tokens, reserved, least, text: size.text, maxOutputTokens });
        } catch (error) {
          refused = error;
          if (!CuelineError.isInstance(error) || error.code !== 'budget_exceeded') break;
        }
      }
      throw closed ? hasEnded() : refused;
    });
  }

  function started(
    { provider, modelId }: Model,
    price: ModelPrice | undefined,
    { tokens, reserved, least, text, maxOutputTokens }: Plan,
  ): MeteredCall {
    const begun = performance.now();
    const model = `${provider}:${modelId}`;
    const own: OpenCall = { reserved, least, heard: 0, ended };
    open.add(own);

    function ended({ usage, error, unsent }: Parameters<MeteredCall['ended']>[0]): void {
      if (!open.delete(own)) return;
      const seen = { input: text, output: estimateTokens(own.heard) };
      const isFree = unsent === true || isUnbilled(error);
      const charge = isFree ? noCharge : chargeOf(tokens, reportedUsage(usage), seen);
      const cost = price === undefined ? undefined : costOf(price, charge);
      spent = add(spent, { tokens: charge.input + charge.output, cost: cost ?? 0 });
      addUsage(used, model, charge, cost);
      const ms = Math.round(performance.now() - begun);
      options.onCharge({ model, ms, charge, cost });
      // what it has not used is free for others while tools work
      if (!closed) inTurn(() => options.setAside(underWay())).catch(() => {});
    }

    return {
      maxOutputTokens,
      heard(characters) {
        own.heard += characters;
        if (allowed < Infinity && heardOfAll() > allowed) stop(budgetUsedUpError(allowed));
      },
      ended,
    };
  }

  return {
    wrap(model) {
      const known = wrapped.get(model) ?? meteredModel(model, begin);
      wrapped.set(model, known);
      return known;
    },
    close() {
      closed = true;
      for (const call of open) call.ended({});
    },
    total: () => ({ ...spent, usage: [...used.values()] }),
  };
}

function hasEnded(): CuelineError {
  return new CuelineError('aborted', 'The run has ended, so it calls no model.');
}
