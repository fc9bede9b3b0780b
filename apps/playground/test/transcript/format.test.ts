import { expect, test } from 'vitest';
import {
  formatDuration,
  formatSize,
  formatUsage,
  keyArguments,
  newFields,
  plural,
  summarize,
} from '../../src/ui/format.ts';

test('durations keep two or three digits', () => {
  expect([0, 0.4, 1, 312.4, 999.4, 999.6, 1_240, 59_949, 59_951, 125_000].map(formatDuration)).toEqual([
    '<1 ms',
    '<1 ms',
    '1 ms',
    '312 ms',
    '999 ms',
    '1.0 s',
    '1.2 s',
    '59.9 s',
    '1 m 00 s',
    '2 m 05 s',
  ]);
});

test('sizes and counts are formatted with their units', () => {
  expect([820, 1_440].map(formatSize)).toEqual(['820 B', '1.4 KB']);
  expect([plural(1, 'step'), plural(2, 'step'), plural(12_345, 'token')]).toEqual([
    '1 step',
    '2 steps',
    '12,345 tokens',
  ]);
});

test('tokens that the provider has not counted are shown as ? or left out', () => {
  expect([
    formatUsage({ inputTokens: 1_500, outputTokens: 300 }),
    formatUsage({ inputTokens: 9, outputTokens: 0 }),
    formatUsage({ inputTokens: 9 }),
    formatUsage({ inputTokens: null, outputTokens: 9 }),
    formatUsage({ inputTokens: null }),
    formatUsage({}),
  ]).toEqual(['1,500 → 300 tokens', '9 → 0 tokens', '9 → ? tokens', '? → 9 tokens', undefined, undefined]);
});

test('values are shortened to a few words', () => {
  expect(summarize('two\n  lines')).toBe('two lines');
  expect(summarize('x'.repeat(100))).toHaveLength(40);
  expect(summarize({ total: 34, tags: ['a'], deep: { x: 1 }, more: 1 })).toBe('total 34, tags [1], deep {…}');
  expect([summarize([]), summarize([1]), summarize({}), summarize(null)]).toEqual([
    'empty list',
    '1 item',
    'empty',
    'null',
  ]);
});

test('a folded card shows three arguments, and the result without repeated arguments', () => {
  expect(keyArguments({ city: 'Lisbon', days: [1, 2], at: { x: 1 }, fourth: 4 })).toEqual([
    { name: 'city', value: 'Lisbon' },
    { name: 'days', value: '[2]' },
    { name: 'at', value: '{…}' },
  ]);
  expect(newFields({ city: 'Lisbon', sky: 'sunny' }, { city: 'Lisbon' })).toEqual({ sky: 'sunny' });
  expect(newFields({ city: 'Lisbon' }, { city: 'Lisbon' })).toEqual({ city: 'Lisbon' });
  expect(newFields('text', { city: 'Lisbon' })).toBe('text');
});
