import type { RunEvent } from '@cueline/core';
import { encodeLink } from '@cueline/core/link';
import { expect, test } from 'vitest';
import { examples } from '../../src/examples/index.ts';
import { LONG_LINK, makeShareLink, makeShortLink, readLink, TOO_LONG_LINK } from '../../src/share/link.ts';

const page = 'https://play.example/';

/** Text that deflate does not make smaller. */
function noise(length: number): string {
  let seed = 7;
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return String.fromCodePoint(33 + (Math.floor(seed / 65_536) % 90));
  }).join('');
}

test.each(examples)('the link of $id gives the same script and is short', ({ source }) => {
  const link = makeShareLink({ script: source }, page);
  expect(link).toMatchObject({ advice: 'fine' });
  expect(readLink(new URL(link.url!).hash)).toEqual({ kind: 'script', script: source });
});

test('a link reports that it is long, and when a file is better', () => {
  const advice = (length: number) => {
    const link = makeShareLink({ script: noise(length) }, page);
    return link.url === undefined
      ? link.problem
      : [link.advice, link.size > LONG_LINK, link.size > TOO_LONG_LINK];
  };
  expect(advice(1_000)).toEqual(['fine', false, false]);
  expect(advice(4_000)).toEqual(['long', true, false]);
  expect(advice(9_000)).toEqual(['too-long', true, true]);
  expect(advice(1_200_000)).toContain('Save it as a file instead');
});

test('a link that is cut off, foreign or without a script is refused in a sentence, and the script stays', () => {
  const whole = encodeLink({ script: examples[0]!.source });
  const messages = [whole.slice(0, -40), '#access_token=1', '#v9.s.x.y', encodeLink({ log: [] })].map(
    (hash) => {
      const opened = readLink(hash);
      return opened.kind === 'refused' ? opened.message : opened;
    },
  );
  expect(messages).toEqual([
    expect.stringContaining('cut off'),
    expect.stringContaining('not made by Cueline'),
    expect.stringContaining('v9'),
    expect.stringContaining('no script'),
  ]);
});

test('an address without a hash has no link', () => {
  expect(readLink('')).toEqual({ kind: 'none' });
  expect(readLink('#')).toEqual({ kind: 'none' });
});

test('a link restores a run with its script', () => {
  const log: RunEvent[] = [
    { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { seq: 1, t: 3, type: 'run-end', outcome: 'done' },
  ];
  const link = makeShareLink({ script: '// mine', log }, page);
  expect(readLink(new URL(link.url!).hash)).toEqual({ kind: 'run', script: '// mine', log });
});

test('a run that is too large is refused with its size', () => {
  const delta: RunEvent = { seq: 0, t: 0, type: 'text-delta', id: 't', text: 'x'.repeat(1_200_000) };
  expect(makeShareLink({ script: '', log: [delta] }, page)).toEqual({
    url: undefined,
    problem: expect.stringMatching(
      /^This run has 1200\.\d KB of text, and at most 1000\.0 KB can be shared\./,
    ),
  });
});

test('a short link has an id, and never an address', () => {
  const id = 'AbCdEfGhIjKlMnOpQrSt-A';
  expect(makeShortLink(id, page)).toBe(`${page}#s=${id}`);
  expect(readLink(`#s=${id}`)).toEqual({ kind: 'short', id });
  const others = [
    '',
    id.slice(1),
    `${id}A`,
    `${id.slice(0, -1)}B`,
    `${id.slice(0, -3)}/..`,
    `../${id}`,
    `https://evil.example/${id}`,
    `${id}?x`,
    `${id}&store=https://evil.example`,
    encodeURIComponent(`/${id.slice(1)}`),
  ];
  for (const other of others) {
    expect(readLink(`#s=${other}`)).toEqual({
      kind: 'refused',
      message: expect.stringMatching(/^This link is cut off: /),
    });
  }
});

test('prompts with a text that no page would open get no link, and the reason', () => {
  const prompts = (length: number): unknown => ({ prompts: [{ userPrompt: 'x'.repeat(length) }] });
  expect(makeShareLink({ prompts: prompts(200_000) }, page)).toHaveProperty('advice');
  expect(makeShareLink({ prompts: prompts(200_001) }, page)).toEqual({
    url: undefined,
    problem: expect.stringContaining('more than 200,000 characters'),
  });
});
