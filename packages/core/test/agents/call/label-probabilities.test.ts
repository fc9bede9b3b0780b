import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asWord, labelProbabilities, labelShares } from '../../../src/agents/call/label-probabilities.ts';

type Tokens = Record<string, number>;

/** A position as OpenAI reports it: its token, and the probabilities of the alternatives. */
function place(token: string, likely: Tokens): object {
  const top_logprobs = Object.entries(likely).map(([other, share]) => ({
    token: other,
    logprob: Math.log(share),
  }));
  return { token, logprob: Math.log(likely[token] ?? 0.5), bytes: null, top_logprobs };
}

const chat = (...places: object[]): object => ({ openai: { logprobs: places } });

function rounded(probabilities: Record<string, number> | undefined): unknown {
  if (probabilities === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(probabilities).map(([label, share]) => [label, Math.round(share * 1_000) / 1_000]),
  );
}

describe('probabilities from the tokens of an answer', () => {
  test('are read from the list of Chat Completions and from the list of lists of Responses', () => {
    const first = place('yes', { yes: 0.6, no: 0.2, maybe: 0.2 });
    const expected = { yes: 0.75, no: 0.25 };
    expect(rounded(labelProbabilities(chat(first), ['yes', 'no']))).toEqual(expected);
    expect(rounded(labelProbabilities({ openai: { logprobs: [[first]] } }, ['yes', 'no']))).toEqual(expected);
    expect(
      rounded(labelProbabilities({ custom: { logprobs: { content: [first] } } }, ['yes', 'no'])),
    ).toEqual(expected);
  });

  test('ignore spaces, case and full stops', () => {
    const first = place(' Yes', { ' Yes': 0.3, YES: 0.2, 'yes.': 0.1, No: 0.2 });
    expect(rounded(labelProbabilities(chat(first), ['yes', 'no']))).toEqual({ yes: 0.75, no: 0.25 });
  });

  test('count a token that begins one label for that label', () => {
    const first = place('pos', { pos: 0.8, neg: 0.1, neut: 0.1, p: 0.2 });
    expect(
      rounded(labelProbabilities(chat(first, place('itive', {})), ['positive', 'negative', 'neutral'])),
    ).toEqual({ positive: 0.833, negative: 0.083, neutral: 0.083 });
  });

  test('use the next token if a token begins several labels', () => {
    const first = place('un', { un: 0.8, known: 0.2 });
    const second = place('sure', { sure: 0.75, known: 0.25 });
    expect(rounded(labelProbabilities(chat(first, second), ['unsure', 'unknown', 'known']))).toEqual({
      unsure: 0.6,
      unknown: 0.2,
      known: 0.2,
    });
  });

  test('skip quotes before the word', () => {
    expect(
      rounded(labelProbabilities(chat(place('"', {}), place('a', { a: 0.9, b: 0.1 })), ['a', 'b'])),
    ).toEqual({
      a: 0.9,
      b: 0.1,
    });
  });

  test.each([
    ['nothing', undefined],
    ['other metadata', { openai: { responseId: 'r' } }],
    ['logprobs of another shape', { openai: { logprobs: { tokens: ['yes'], token_logprobs: [-0.1] } } }],
    ['an answer that is no label', chat(place('Well', { Well: 0.9, yes: 0.1 }))],
    ['an answer that ends where two labels go on', chat(place('yes', { yes: 1 }))],
    ['other words that could be either', chat(place('no', { no: 0.5, y: 0.5 }))],
  ])('%s has no probabilities', (_, metadata) => {
    expect(labelProbabilities(metadata, ['yes', 'yes please', 'no'])).toBeUndefined();
  });

  test('add up to 1 for any tokens', () => {
    const token = fc.oneof(fc.constantFrom('yes', 'no', ' Yes', 'ye', 'n', '', '"', 'x'), fc.string());
    const logprob = fc.double({ min: -9999, max: 0, noNaN: true });
    const tokens = fc.record({
      token,
      logprob,
      top_logprobs: fc.array(fc.record({ token, logprob }), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(tokens), (places) => {
        const found = labelProbabilities(chat(...places), ['yes', 'no']);
        if (found === undefined) return;
        expect(found.yes + found.no).toBeCloseTo(1);
        expect(Math.min(found.yes, found.no)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('the probabilities of samples are their shares', () => {
  expect(labelShares(['a', 'b', 'a', 'a'], ['a', 'b', 'c'])).toEqual({ a: 0.75, b: 0.25, c: 0 });
  expect(() => labelShares([], ['a'])).toThrow(RangeError);
});

test('a label is recognized by its word', () => {
  expect([' “Yes', '**YES.**', "'no'", 'C++', 'a b '].map(asWord)).toEqual([
    '“yes',
    'yes',
    'no',
    'c++',
    'a b',
  ]);
});
