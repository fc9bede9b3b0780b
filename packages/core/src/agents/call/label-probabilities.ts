import { isRecord } from '../../base/part-error.ts';

/** A token and how likely it was, as OpenAI reports it. */
type Token = { token: string; logprob: number };

/** A token of the answer, with those that could have stood in its place. */
type TokenPosition = Token & { top_logprobs: readonly Token[] };

/** How much of the likelihood may belong to nobody knows which label. */
const MAX_UNKNOWN_SHARE = 0.01;

/**
 * How likely each label was, made to add up to 1 over the labels, from what a provider says of the answer's tokens:
 * `logprobs` in its metadata, as OpenAI's Chat Completions and Responses have them. A token counts for the label that it
 * begins; where it begins several, the next one decides.
 *
 * @returns undefined where there is nothing to tell it from, or the tokens do not tell the labels apart
 */
export function labelProbabilities<Label extends string>(
  providerMetadata: unknown,
  labels: readonly Label[],
): Record<Label, number> | undefined {
  const places = positionsIn(providerMetadata);
  if (places === undefined) return undefined;
  const words = labels.map(asWord);
  const shares = labels.map(() => 0);
  let said = '';
  let untold = 0;
  /** How likely it was to come this far. */
  let reached = 1;
  for (const place of places) {
    let next: { said: string; likely: number } | undefined;
    let isTold = false;
    for (const { token, logprob } of alternatives(place)) {
      const likely = reached * Math.exp(logprob);
      const begun = said + token;
      const fitting = indicesOf(words, begun);
      const isSaid = token === place.token;
      if (fitting.length === 1) {
        shares[fitting[0]!]! += likely;
        if (isSaid) isTold = true;
      } else if (isSaid && (fitting.length > 1 || asWord(begun) === '')) next = { said: begun, likely };
      else if (fitting.length > 1) untold += likely;
    }
    if (isTold) return shared(labels, shares, untold);
    // it says something else
    if (next === undefined) return undefined;
    ({ said } = next);
    reached = next.likely;
  }
  return undefined;
}

/** The share that each label has of the answers. @throws RangeError where there are none */
export function labelShares<Label extends string>(
  answers: readonly Label[],
  labels: readonly Label[],
): Record<Label, number> {
  if (answers.length === 0) throw new RangeError('There are no answers to take shares of.');
  const share = (label: Label): number =>
    answers.filter((answer) => answer === label).length / answers.length;
  return Object.fromEntries(labels.map((label) => [label, share(label)])) as Record<Label, number>;
}

/** A label, or an answer, by which it is known: without upper case, and the space, quotes and full stops around it. */
export function asWord(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[\s"'`*]+/, '')
    .replace(/[\s"'`*.!,]{1,32}$/, '');
}

/** Which words a text begins, or is. */
function indicesOf(words: readonly string[], begun: string): number[] {
  const whole = asWord(begun);
  if (whole === '') return [];
  const same = words.indexOf(whole);
  const rest = begun.toLowerCase().replace(/^[\s"'`*]+/, '');
  const longer = words.flatMap((word, index) => (index !== same && word.startsWith(rest) ? [index] : []));
  // a word that is ended by a full stop goes on as no other
  return same === -1 ? longer : [same, ...longer];
}

function shared<Label extends string>(
  labels: readonly Label[],
  shares: readonly number[],
  untold: number,
): Record<Label, number> | undefined {
  const sum = shares.reduce((total, share) => total + share, 0);
  if (!(sum > 0) || !Number.isFinite(sum) || untold > MAX_UNKNOWN_SHARE * sum) return undefined;
  return Object.fromEntries(labels.map((label, index) => [label, shares[index]! / sum])) as Record<
    Label,
    number
  >;
}

/** What could have stood in a place, the token that stands there among it, each once. */
function alternatives({ token, logprob, top_logprobs }: TokenPosition): readonly Token[] {
  return top_logprobs.some((other) => other.token === token)
    ? top_logprobs
    : [{ token, logprob }, ...top_logprobs];
}

/** The answer's tokens, wherever a provider puts them: a list, a list of lists, or a list called `content`. */
function positionsIn(providerMetadata: unknown): readonly TokenPosition[] | undefined {
  if (!isRecord(providerMetadata)) return undefined;
  for (const metadata of Object.values(providerMetadata)) {
    if (!isRecord(metadata)) continue;
    const { logprobs } = metadata;
    const given: unknown = isRecord(logprobs) ? logprobs['content'] : logprobs;
    if (!Array.isArray(given)) continue;
    const places = (given as unknown[]).flat().flatMap((place) => readPosition(place) ?? []);
    if (places.length > 0) return places;
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
