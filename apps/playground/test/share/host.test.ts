import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatDate, formatLifetime } from '../../src/share/format-time.ts';
import { policy } from '../../vite/content-security-policy.ts';
import { readShares, sharesMeta } from '../../vite/shares-meta.ts';

const connect = (shares?: string) => policy(shares).match(/connect-src ([^;]*)/)?.[1];

test('a host configures the store with a path or an address', () => {
  expect(readShares(undefined)).toBeUndefined();
  expect(readShares('')).toBeUndefined();
  expect(readShares(' /api/shares ')).toBe('/api/shares');
  expect(readShares('http://keep.internal:8080/shares')).toBe('http://keep.internal:8080/shares');
});

test.each([
  'shares',
  '//evil.example',
  'ftp://a/b',
  'https://a/b" onload="x',
  "https://a/b; script-src 'x'",
  'https://u:p@a/b',
])('%s is neither, and fails the build', (given) => {
  expect(() => readShares(given)).toThrow('CUELINE_SHARES is');
});

test('the page contains the store’s address, and its policy allows the connection', async () => {
  const html = await readFile(new URL('../../index.html', import.meta.url), 'utf8');
  const transform = sharesMeta('/api/shares').transformIndexHtml as (html: string) => string;
  expect(transform(html)).toContain('<meta name="cueline-shares" content="/api/shares" />');
  expect((sharesMeta(undefined).transformIndexHtml as typeof transform)(html)).toBe(html);
  expect(connect()).toBe("'self' https: http://localhost:* http://127.0.0.1:*");
  expect(connect('/api/shares')).toBe(connect());
  expect(connect('http://keep.internal:8080/shares')).toBe(`${connect()} http://keep.internal:8080`);
});

test('a lifetime is shown in days, hours or minutes', () => {
  const day = 24 * 60 * 60_000;
  expect([30 * day, 1.5 * day, day, 3_600_000, 90_000, 60_000, 1].map(formatLifetime)).toEqual([
    '30 days',
    '36 hours',
    '24 hours',
    '1 hour',
    '2 minutes',
    '1 minute',
    '1 minute',
  ]);
  const now = new Date(2026, 10, 22, 9, 30).getTime();
  expect(formatDate(now + 30 * day, now)).toBe('22 December 2026');
  expect(formatDate(now + 3_600_000, now)).toBe('22 November at 10:30');
});
