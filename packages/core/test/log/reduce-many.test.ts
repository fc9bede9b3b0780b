import { initialState, reduce, reduceAll, type RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';

const call = { toolCallId: 'c', toolName: 't' };
/** Logs of one kind of event: the event at place `i` of `n`. */
const kinds: Record<string, (i: number, n: number) => object> = {
  'variable-set': (i) => ({ type: 'variable-set', name: `V${i}`, kind: 'text', value: 'v' }),
  'variable-unset': (i, n) =>
    i < n / 2
      ? { type: 'variable-set', name: `V${i}`, kind: 'text', value: 'v' }
      : { type: 'variable-unset', name: `V${i - n / 2}` },
  warning: () => ({ type: 'warning', message: 'w' }),
  steer: (i) => ({ type: 'steer', id: `s${i}`, cause: 'user', text: 'x' }),
  'step-start': (i) => ({ type: 'step-start', step: i, request: { keep: 0, messages: [] } }),
  'text-start': (i) => ({ type: 'text-start', id: `x${i}` }),
  'text-delta': () => ({ type: 'text-delta', id: 'x', text: 'x' }),
  reasoning: (i) => ({
    type: i % 3 === 0 ? 'reasoning-start' : i % 3 === 1 ? 'reasoning-delta' : 'reasoning-end',
    id: `r${i - (i % 3)}`,
    text: 'x',
  }),
  source: (i) => ({ type: 'source', source: { sourceType: 'url', id: `u${i}`, url: 'https://x.test' } }),
  file: () => ({ type: 'file', mediaType: 'image/png', url: 'data:,' }),
  custom: () => ({ type: 'custom', kind: 'a.b' }),
  'retry-void': () => ({ type: 'retry', error: { code: 'x', message: 'm' } }),
  'sub-call-start': (i) =>
    i === 0
      ? { type: 'tool-input-end', ...call, input: {} }
      : { type: 'sub-call-start', toolCallId: 'c', index: i - 1, name: 'n', input: 1 },
  'sub-call-end': (i, n) =>
    i === 0
      ? { type: 'tool-input-end', ...call, input: {} }
      : i < n / 2
        ? { type: 'sub-call-start', toolCallId: 'c', index: i - 1, name: 'n', input: 1 }
        : { type: 'sub-call-end', toolCallId: 'c', index: i - n / 2, output: 1, ms: 1 },
};

function logOf(kind: (i: number, n: number) => object, count: number): RunEvent[] {
  const start = [
    { type: 'run-start', v: 1, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    { type: 'text-start', id: 'x' },
  ];
  const events = Array.from({ length: count }, (_, i) => kind(i, count));
  return [...start, ...events].map((event, seq) => ({ ...event, seq, t: seq })) as unknown as RunEvent[];
}

/** The shortest of some tries, in milliseconds: what else the machine does only ever adds to it. */
function shortest(run: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const begin = performance.now();
    run();
    return performance.now() - begin;
  });
  return Math.min(...times);
}

test.each(Object.entries(kinds))(
  'an event costs the same after 20,000 of %s as after 2,000',
  (_name, kind) => {
    const few = logOf(kind, 2_000);
    const many = logOf(kind, 20_000);
    // as many events in both, so that what is compared is not how well the engine has warmed up
    const short = shortest(() => {
      for (let count = 0; count < 10; count += 1) reduceAll(few);
    });
    const long = shortest(() => reduceAll(many));
    // copying what is there at each event makes it 10 and more
    expect(long / short, `${long.toFixed(1)} ms against ${short.toFixed(1)} ms`).toBeLessThan(4);
  },
);

const set = (name: string, value: string, seq: number): RunEvent => ({
  seq,
  t: seq,
  type: 'variable-set',
  name,
  kind: 'text',
  value,
});

test('a state keeps its variables when later events set and unset them', () => {
  const before = reduce(reduce(initialState, logOf(kinds['warning']!, 0)[0]!), set('A', 'first', 1));
  Object.freeze(before.variables);
  const after = reduce(before, set('B', 'second', 2));
  const unset = reduce(after, { seq: 3, t: 3, type: 'variable-unset', name: 'A' });
  expect(Object.keys(before.variables)).toEqual(['A']);
  expect(Object.keys(after.variables)).toEqual(['A', 'B']);
  expect(Object.keys(unset.variables)).toEqual(['B']);
  expect(after.variables['A']).toBe(before.variables['A']);
  expect(reduce(unset, { seq: 4, t: 4, type: 'variable-unset', name: 'A' }).variables).toBe(unset.variables);
});

test('a variable may be called __proto__', () => {
  const state = reduceAll([logOf(kinds['warning']!, 0)[0]!, set('__proto__', 'text', 1)]);
  expect(Object.getPrototypeOf(state.variables)).toBe(Object.prototype);
  expect(Object.entries(state.variables)).toEqual([['__proto__', { kind: 'text', value: 'text' }]]);
});
