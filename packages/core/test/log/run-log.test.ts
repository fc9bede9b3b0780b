import { createRunLog, type RunState, type Scheduler } from '@cueline/core';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { describe, expect, test, vi } from 'vitest';

/** A scheduler whose frames the test triggers. */
function manualFrames(): { schedule: Scheduler; frame: () => boolean } {
  let pending: (() => void) | undefined;
  return {
    schedule(callback) {
      pending = callback;
      return () => (pending = undefined);
    },
    frame() {
      const callback = pending;
      pending = undefined;
      callback?.();
      return callback !== undefined;
    },
  };
}

const started = { type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' } as const;

describe('a run log', () => {
  test('stamps seq and time, and time never goes back', () => {
    const times = [10, 12.34567, 11, 20];
    const log = createRunLog({ now: () => times.shift() ?? 20 });
    log.append(started);
    log.append({ type: 'warning', message: 'a' });
    log.append({ type: 'warning', message: 'b' });
    expect(log.events.map(({ seq, t }) => [seq, t])).toEqual([
      [0, 2.35],
      [1, 2.35],
      [2, 10],
    ]);
  });

  test('ignores events after its end', () => {
    const log = createRunLog();
    log.append(started);
    log.append({ type: 'run-end', outcome: 'stopped' });
    log.append({ type: 'warning', message: 'late' });
    log.push({ seq: 3, t: 1, type: 'run-end', outcome: 'done' });
    expect(log.events).toHaveLength(2);
    expect(log.getState().status).toBe('stopped');
  });

  test('notifies subscribers once a frame, and once after the end', () => {
    const { schedule, frame } = manualFrames();
    const log = createRunLog({ schedule });
    const seen: RunState[] = [];
    log.subscribe((state) => seen.push(state));
    log.append(started);
    for (let index = 0; index < 100; index++) log.append({ type: 'warning', message: String(index) });
    expect(seen).toHaveLength(0);
    frame();
    expect(seen).toHaveLength(1);
    expect(seen[0]!.warnings).toHaveLength(100);
    expect(frame()).toBe(false);
    log.append({ type: 'run-end', outcome: 'stopped' });
    frame();
    expect(seen).toHaveLength(2);
    expect(seen[1]!.status).toBe('stopped');
  });

  test('reduces a burst in slices, and getState is always current', () => {
    const { schedule, frame } = manualFrames();
    let clock = 0;
    const log = createRunLog({ schedule, now: () => (clock += 5) });
    const seen: number[] = [];
    log.subscribe((state) => seen.push(state.seq));
    log.append(started);
    for (let index = 1; index < 1_000; index++) log.push({ seq: index, t: 0, type: 'warning', message: '' });
    frame();
    expect(seen[0]).toBeLessThan(999);
    while (frame());
    expect(seen.at(-1)).toBe(999);
    for (let index = 1_000; index < 2_000; index++)
      log.push({ seq: index, t: 0, type: 'warning', message: '' });
    expect(log.getState().seq).toBe(1_999);
  });

  test('writes what a listener throws to the console, and still calls the others', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {});
    const log = createRunLog();
    const told: string[] = [];
    log.listen(() => {
      throw new Error('mine');
    });
    log.listen((event) => told.push(event.type));
    log.append(started);
    await Promise.resolve();
    expect(told).toEqual(['run-start']);
    expect(report.mock.calls).toEqual([[new Error('mine')]]);
    report.mockRestore();
  });

  test('schedules nothing without subscribers', () => {
    const { schedule, frame } = manualFrames();
    const log = createRunLog({ schedule });
    const unsubscribe = log.subscribe(() => {});
    log.append(started);
    unsubscribe();
    expect(frame()).toBe(false);
    log.append({ type: 'warning', message: '' });
    expect(frame()).toBe(false);
  });

  test('returns the same state object until an event arrives', () => {
    const log = createRunLog();
    log.append(started);
    expect(log.getState()).toBe(log.getState());
  });

  test('lets a waiting reader leave', async () => {
    const log = createRunLog();
    log.append(started);
    const iterator = log.read()[Symbol.asyncIterator]();
    expect(await iterator.next()).toMatchObject({ value: { type: 'run-start' } });
    const waiting = iterator.next();
    expect(await iterator.return!()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });

    const reader = toUIMessageStream(log.read(0)).getReader();
    const read = reader.read();
    await reader.cancel();
    expect(await read).toEqual({ done: true, value: undefined });
  });

  test('can be read by several readers while it grows', async () => {
    const log = createRunLog();
    const read = async (after?: number) => {
      const seqs: number[] = [];
      for await (const event of log.read(after)) seqs.push(event.seq);
      return seqs;
    };
    const readers = [read(), read(1)];
    log.append(started);
    await Promise.resolve();
    log.append({ type: 'warning', message: '1' });
    log.append({ type: 'warning', message: '2' });
    await new Promise((resolve) => setTimeout(resolve));
    log.append({ type: 'run-end', outcome: 'done' });
    expect(await Promise.all(readers)).toEqual([
      [0, 1, 2, 3],
      [2, 3],
    ]);
  });
});
