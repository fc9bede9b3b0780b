import { expect, onTestFinished, test, vi } from 'vitest';
import { createStreams, whileRead, type StreamSlot } from '../../src/route/streams.ts';

test('a response counts as long as a client waits for more of it, and lapses if no client reads it', async () => {
  let now = 0;
  onTestFinished(vi.spyOn(performance, 'now').mockImplementation(() => now).mockRestore);
  const streams = createStreams({ streams: 1, streamsPerRun: 1, leaseMs: 1_000 });
  const enter = (): StreamSlot => streams.enter('ada');
  let emit: (value: number) => void = () => {};
  const items = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise<IteratorResult<number>>((resolve) => (emit = (value) => resolve({ done: false, value }))),
    }),
  };
  const reader = whileRead(items, enter())[Symbol.asyncIterator]();
  const waiting = reader.next();
  now = 1_000_000;
  expect(enter, 'a run that waits for days').toThrow('You may read 1 answers at once');
  emit(1);
  await waiting;
  now += 999;
  expect(enter).toThrow('at once');
  now += 1;
  expect(enter().leave()).toBeUndefined();
});
