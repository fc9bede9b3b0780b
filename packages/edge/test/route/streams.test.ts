import { expect, onTestFinished, test, vi } from 'vitest';
import { createStreams, whileRead, type StreamSlot } from '../../src/route/streams.ts';

test('a response counts as long as a client waits for more of it, and lapses if no client reads it', async () => {
  let now = 0;
  onTestFinished(vi.spyOn(performance, 'now').mockImplementation(() => now).mockRestore);
  const streams = createStreams({ streams: 1, streamsPerRun: 1, leaseMs: 1_000, report: () => {} });
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
  expect(enter, 'a run that waits for days').toThrow('You are already reading 1 answers at once');
  emit(1);
  await waiting;
  now += 999;
  expect(enter).toThrow('at once');
  now += 1;
  expect(enter().leave()).toBeUndefined();
});

test('a response that no client reads ends after a minute, and lets go of its items', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const onLeave = vi.fn<() => void>();
  const onReturn = vi.fn<() => void>();
  const items = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: 1 }) as const,
      return: async () => {
        onReturn();
        return { done: true, value: undefined } as const;
      },
    }),
  };
  const reader = whileRead(items, { waits: () => {}, leave: onLeave, failed: () => {} })[
    Symbol.asyncIterator
  ]();
  await reader.next();
  await vi.advanceTimersByTimeAsync(59_000);
  await reader.next();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(onLeave).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(20_000);
  expect([onLeave.mock.calls.length, onReturn.mock.calls.length]).toEqual([1, 1]);
  await expect(reader.next()).rejects.toThrow('did not read the answer for too long');
});

test('a response that waits for its next item does not end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const onLeave = vi.fn<() => void>();
  let emit: (value: number) => void = () => {};
  const items = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise<IteratorResult<number>>((resolve) => (emit = (value) => resolve({ done: false, value }))),
    }),
  };
  const reader = whileRead(items, { waits: () => {}, leave: onLeave, failed: () => {} })[
    Symbol.asyncIterator
  ]();
  const next = reader.next();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  emit(1);
  expect(await next).toEqual({ done: false, value: 1 });
  expect(onLeave).not.toHaveBeenCalled();
});
