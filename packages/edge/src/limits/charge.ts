/** Tokens that a model read, and wrote. */
export type TokenCounts = { input: number; output: number };

/** What a provider says a call has used. Whatever is left out, it has not said. */
export type ReportedUsage = {
  input?: number | undefined;
  /** With what the model thinks and does not show. */
  output?: number | undefined;
  /** How much of `input` was read from the provider's cache. */
  cachedInput?: number | undefined;
  /** How much of `input` was written into the provider's cache. */
  cacheWrite?: number | undefined;
};

/** What a call is charged. */
export type Charge = TokenCounts & {
  cachedInput: number;
  cacheWrite: number;
  /**
   * `reported`: what the provider says. `seen`: it says less than what was sent or came back, which counts instead.
   * `reserved`: it has not said what the call used, so all that it could use counts. `free`: nothing reached a model.
   */
  basis: 'reported' | 'seen' | 'reserved' | 'free';
};

/** A call that reached no model. */
export const noCharge: Charge = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0, basis: 'free' };

/** Tokens in a text, about: four characters each, as in English. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/**
 * A count of tokens as a provider reports it; undefined for what cannot be one: a text, a number below zero, or one
 * beyond all reason.
 */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 1e9 ? Math.ceil(value) : undefined;
}

/** The sum of counts, of which some may be missing; undefined where the first is, or one of them is no count. */
export function sumOf(first: unknown, ...more: unknown[]): number | undefined {
  const given = [first, ...more.filter((count) => count !== undefined && count !== null)].map(countOf);
  return given.reduce(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
}

/**
 * What a call is charged that could use `reserved` at most. What the provider has not reported counts as reserved. `seen`
 * is an estimate of the text that was sent and came back: a report of less than half of it is not believed, because
 * tokenizers differ by less.
 */
export function chargeOf(reserved: TokenCounts, reported: ReportedUsage, seen: TokenCounts): Charge {
  // no request is empty, so a server that says 0 does not count
  const input = reported.input === 0 ? undefined : reported.input;
  const { output } = reported;
  const believed = {
    input: input === undefined || input < seen.input / 2 ? undefined : input,
    output: output === undefined || output < seen.output / 2 ? undefined : output,
  };
  const charged = {
    input: believed.input ?? (input === undefined ? reserved.input : seen.input),
    output: believed.output ?? (output === undefined ? reserved.output : seen.output),
  };
  const isReported = believed.input !== undefined && believed.output !== undefined;
  const isReserved = input === undefined || output === undefined;
  const { cachedInput = 0, cacheWrite = 0 } = believed.input === undefined ? {} : reported;
  const cached = Math.min(cachedInput, charged.input);
  return {
    ...charged,
    cachedInput: cached,
    cacheWrite: Math.min(cacheWrite, charged.input - cached),
    basis: isReported ? 'reported' : isReserved ? 'reserved' : 'seen',
  };
}
