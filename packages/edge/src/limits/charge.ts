/** Input and output tokens of a call. */
export type TokenCounts = { input: number; output: number };

/** The usage that a provider reports. Missing fields were not reported. */
export type ReportedUsage = {
  input?: number | undefined;
  /** Includes hidden reasoning. */
  output?: number | undefined;
  /** The part of `input` that was read from the provider's cache. */
  cachedInput?: number | undefined;
  /** The part of `input` that was written into the provider's cache. */
  cacheWrite?: number | undefined;
};

/** The charge of a call. */
export type Charge = TokenCounts & {
  cachedInput: number;
  cacheWrite: number;
  /** False if `input` is what was reserved or seen, of which the provider may have written any part into its cache. */
  isInputReported: boolean;
  /**
   * `reported`: the provider's report. `seen`: the report is below what was sent or came back, so that counts.
   * `reserved`: there is no report, so the maximum counts. `free`: nothing reached a model.
   */
  basis: 'reported' | 'seen' | 'reserved' | 'free';
};

/** The charge of a call that reached no model. */
export const noCharge: Charge = {
  input: 0,
  output: 0,
  cachedInput: 0,
  cacheWrite: 0,
  isInputReported: true,
  basis: 'free',
};

/** Estimates the tokens of a text: one for every four characters, as in English. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/**
 * Returns a token count as a provider reports it; undefined for an impossible one: a text, a negative or an enormous
 * number.
 */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 1e9 ? Math.ceil(value) : undefined;
}

/**
 * Returns the sum of counts, some of which may be missing; undefined if the first is missing, or if one is not a
 * count.
 */
export function sumOf(first: unknown, ...more: unknown[]): number | undefined {
  const counts = [first, ...more.filter((count) => count !== undefined && count !== null)].map(countOf);
  return counts.reduce(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
}

/**
 * Returns the charge of a call that could use `reserved` at most. Counts that the provider has not reported count as
 * reserved, and an answer that is even longer as what was seen of it. `seen` is an estimate of the text that was sent and came back: a report below half of it is not trusted,
 * because tokenizers differ by less.
 */
export function chargeOf(reserved: TokenCounts, reported: ReportedUsage, seen: TokenCounts): Charge {
  // no request is empty, so a report of 0 does not count; xAI's package reports 0 for both if an answer is cut off
  const isEmpty = reported.input === 0;
  const input = isEmpty ? undefined : reported.input;
  const output = isEmpty && reported.output === 0 ? undefined : reported.output;
  const believed = {
    input: input === undefined || input < seen.input / 2 ? undefined : input,
    output: output === undefined || output < seen.output / 2 ? undefined : output,
  };
  const charged = {
    input: believed.input ?? (input === undefined ? reserved.input : seen.input),
    output: believed.output ?? (output === undefined ? Math.max(reserved.output, seen.output) : seen.output),
  };
  const isReported = believed.input !== undefined && believed.output !== undefined;
  const isReserved = input === undefined || output === undefined;
  const { cachedInput = 0, cacheWrite = 0 } = believed.input === undefined ? {} : reported;
  const cached = Math.min(cachedInput, charged.input);
  return {
    ...charged,
    cachedInput: cached,
    cacheWrite: Math.min(cacheWrite, charged.input - cached),
    isInputReported: believed.input !== undefined,
    basis: isReported ? 'reported' : isReserved ? 'reserved' : 'seen',
  };
}
