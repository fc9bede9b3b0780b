import { expect, test } from 'vitest';
import { formatDuration } from '../src/format-duration.ts';

test.each([
  [24 * 60 * 60_000, '24 hours'],
  [36 * 60 * 60_000, '36 hours'],
  [7 * 24 * 60 * 60_000, '7 days'],
  [60 * 60_000, '1 hour'],
  [90_000, '1 minute 30 seconds'],
  [30_000, '30 seconds'],
  [3_723_004, '1 hour 2 minutes'],
  [1_500, '1 second 500 milliseconds'],
  [1, '1 millisecond'],
  [0, '0 milliseconds'],
])('a length of time is written in its two largest units: %i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
