import { isRecord } from '../../base/is-record.ts';

/** A token and its probability, as OpenAI reports it. */
type Token = { token: string; logprob: number };

/** A token of the answer, with its alternatives. */
type TokenPosition = Token & { top_logprobs: readonly Token[] };

/** The maximum share of probability that may belong to an unknown label. */
const MAX_UNKNOWN_SHARE = 0.01;

/**
 * Returns the probability of each label, together 1, from the provider's report of the answer's tokens: `logprobs` in
 * its metadata, as in OpenAI's Chat Completions and Responses. A token counts for the label that it begins; if it
 * begins several, the next token decides.
 *
 * @returns undefined if there is no report, or if the tokens do not distinguish the labels
 */
export function labelProbabilities<Label extends string>(
  providerMetadata: unknown,
  labels: readonly Label[],
): Record<Label, number> | undefined {
  const positions = positionsIn(providerMetadata);
  if (positions === undefined) return undefined;
  const words = labels.map(asWord);
  const shares = labels.map(() => 0);
  let answer = '';
  /** The probability of answers that may still become several labels. */
  let ambiguous = 0;
  /** The product of the probabilities of the tokens so far. */
  let reached = 1;
  for (const position of positions) {
    let next: { answer: string; likely: number } | undefined;
    let isDecided = false;
    for (const { token, logprob } of alternatives(position)) {
      const likely = reached * Math.exp(logprob);
      const begun = answer + token;
      const fitting = indicesOf(words, begun);
      const isSaid = token === position.token;
      if (fitting.length === 1) {
        shares[fitting[0]!]! += likely;
        if (isSaid) isDecided = true;
      } else if (isSaid && (fitting.length > 1 || asWord(begun) === '')) next = { answer: begun, likely };
      else if (fitting.length > 1) ambiguous += likely;
    }
    if (isDecided) return shared(labels, shares, ambiguous);
    // the tokens belong to another text
    if (next === undefined) return undefined;
    ({ answer } = next);
    reached = next.likely;
  }
  return undefined;
}

/** Returns the share of answers that each label has. @throws RangeError for no answers */
export function labelShares<Label extends string>(
  answers: readonly Label[],
  labels: readonly Label[],
): Record<Label, number> {
  if (answers.length === 0)
    throw new RangeError('There are no answers to compute probabilities from. Pass at least one.');
  const share = (label: Label): number =>
    answers.filter((answer) => answer === label).length / answers.length;
  return Object.fromEntries(labels.map((label) => [label, share(label)])) as Record<Label, number>;
}

/**
 * Returns a label or an answer in its normal form: in lower case, without surrounding spaces, quotes and full stops.
 */
export function asWord(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[\s"'`*]+/, '')
    .replace(/[\s"'`*.!,]{1,32}$/, '');
}

/** Returns the indexes of the words that begin with this text. */
function indicesOf(words: readonly string[], begun: string): number[] {
  const whole = asWord(begun);
  if (whole === '') return [];
  const same = words.indexOf(whole);
  const rest = begun.toLowerCase().replace(/^[\s"'`*]+/, '');
  const longer = words.flatMap((word, index) => (index !== same && word.startsWith(rest) ? [index] : []));
  // a word that ends with a full stop begins no other word
  return same === -1 ? longer : [same, ...longer];
}

function shared<Label extends string>(
  labels: readonly Label[],
  shares: readonly number[],
  ambiguous: number,
): Record<Label, number> | undefined {
  const sum = shares.reduce((total, share) => total + share, 0);
  if (!(sum > 0) || !Number.isFinite(sum) || ambiguous > MAX_UNKNOWN_SHARE * sum) return undefined;
  return Object.fromEntries(labels.map((label, index) => [label, shares[index]! / sum])) as Record<
    Label,
    number
  >;
}

/** Returns the possible tokens of a position, including its own, each once. */
function alternatives({ token, logprob, top_logprobs }: TokenPosition): readonly Token[] {
  return top_logprobs.some((other) => other.token === token)
    ? top_logprobs
    : [{ token, logprob }, ...top_logprobs];
}

/**
 * Returns the answer's tokens, wherever the provider puts them: a list, a list of lists, or a list called `content`.
 */
function positionsIn(providerMetadata: unknown): readonly TokenPosition[] | undefined {
  if (!isRecord(providerMetadata)) return undefined;
  for (const metadata of Object.values(providerMetadata)) {
    if (!isRecord(metadata)) continue;
    const { logprobs } = metadata;
    const content: unknown = isRecord(logprobs) ? logprobs['content'] : logprobs;
    if (!Array.isArray(content)) continue;
    const positions = (content as unknown[]).flat().flatMap((position) => readPosition(position) ?? []);
    if (positions.length > 0) return positions;
  }
  return undefined;
}

function readPosition(value: unknown): TokenPosition | undefined {
  const token = readToken(value);
  if (token === undefined) return undefined;
  const others: unknown = (value as { top_logprobs?: unknown }).top_logprobs;
  const top = Array.isArray(others) ? others.flatMap((other) => readToken(other) ?? []) : [];
  return { ...token, top_logprobs: top };
}

function readToken(value: unknown): Token | undefined {
  if (!isRecord(value)) return undefined;
  const { token, logprob } = value;
  return typeof token === 'string' && typeof logprob === 'number' ? { token, logprob } : undefined;
}
