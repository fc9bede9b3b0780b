import { expect, test } from 'vitest';
import { freshDatabase, wordsFrom } from './logs.ts';

// a log that was written anew with each batch would take six times as long at its end, in every attempt
test(
  '10,000 events in batches of 50: the last batches take no longer than the first',
  { timeout: 60_000, retry: 3 },
  async () => {
    const { tab, storage } = freshDatabase();
    await storage.append('warm up', wordsFrom(0, 1));
    const times: number[] = [];
    for (let seq = 0; seq < 10_000; seq += 50) {
      const batch = wordsFrom(seq, 50);
      const before = performance.now();
      await storage.append('today', batch);
      times.push(performance.now() - before);
    }
    const [first, last] = [median(times.slice(0, 60)), median(times.slice(-60))];
    expect(last / first).toBeLessThan(2);

    expect(await tab().load('today')).toEqual(wordsFrom(0, 10_000));
  },
);

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
