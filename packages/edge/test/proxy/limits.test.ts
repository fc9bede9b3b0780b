import { describe, expect, test } from 'vitest';
import { createMemoryLimits, type LimitStore } from './support.ts';
import { startCpuTime } from '../../../core/test/support/cpu-time.ts';

const call = { subject: 'ada', id: '1', tokens: 10, rpm: 3, concurrent: 2, dailyTokens: 25, leaseMs: 60_000 };
const midnight = Date.UTC(2026, 0, 2);

function clock(at = midnight - 3_600_000): { store: LimitStore; at: number } {
  const time: { at: number; store: LimitStore } = { at, store: createMemoryLimits({ now: () => time.at }) };
  return time;
}

describe('limits in memory', () => {
  test('allow as many calls at once as the limit', async () => {
    const { store } = clock();
    expect(await store.reserve({ ...call, id: '1' })).toEqual({ ok: true });
    expect(await store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
    expect(await store.reserve({ ...call, id: '3' })).toEqual({
      ok: false,
      why: 'concurrent',
      retryAfterMs: 1_000,
    });
    // another subject
    expect(await store.reserve({ ...call, id: '3', subject: 'eve' })).toEqual({ ok: true });
    await store.settle({ subject: 'ada', id: '1', tokens: 0 });
    expect(await store.reserve({ ...call, id: '3' })).toEqual({ ok: true });
  });

  test('allow as many calls a minute as the limit, and say when the next may start', async () => {
    const time = clock();
    for (const id of ['1', '2', '3']) {
      await time.store.reserve({ ...call, id });
      await time.store.settle({ subject: 'ada', id, tokens: 1 });
      time.at += 10_000;
    }
    expect(await time.store.reserve({ ...call, id: '4' })).toEqual({
      ok: false,
      why: 'rpm',
      retryAfterMs: 30_000,
    });
    time.at += 30_000;
    expect(await time.store.reserve({ ...call, id: '4' })).toEqual({ ok: true });
  });

  test('allow as many tokens a day as the limit, and count reserved ones until they are settled', async () => {
    const time = clock();
    await time.store.reserve({ ...call, id: '1', tokens: 20 });
    const refused = { ok: false, why: 'budget', retryAfterMs: 3_600_000 };
    const held = { ...refused, retryAfterMs: 1_000 };
    expect(await time.store.reserve({ ...call, id: '2' })).toEqual(held);
    await time.store.settle({ subject: 'ada', id: '1', tokens: 15 });
    // once more changes nothing
    await time.store.settle({ subject: 'ada', id: '1', tokens: 15 });
    expect(await time.store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
    await time.store.settle({ subject: 'ada', id: '2', tokens: 10 });
    expect(await time.store.reserve({ ...call, id: '3', tokens: 1 })).toEqual(refused);
    time.at = midnight;
    expect(await time.store.reserve({ ...call, id: '3' })).toEqual({ ok: true });
  });

  test('charge an unsettled call in full when its lease ends', async () => {
    const time = clock();
    await time.store.reserve({ ...call, id: '1', tokens: 20, leaseMs: 5_000, concurrent: 1 });
    time.at += 5_000;
    expect(await time.store.reserve({ ...call, id: '2', concurrent: 1 })).toMatchObject({ why: 'budget' });
    expect(await time.store.reserve({ ...call, id: '2', tokens: 5, concurrent: 1 })).toEqual({ ok: true });
  });

  test('accept finite numbers only', async () => {
    const { store } = clock();
    expect(await store.reserve({ ...call, tokens: Number.NaN })).toMatchObject({ why: 'budget' });
    expect(await store.reserve({ ...call, dailyTokens: Number.NaN })).toMatchObject({ why: 'budget' });
  });

  test('do not let invented subjects fill the memory or block others', async () => {
    const time = { at: midnight };
    const store = createMemoryLimits({ now: () => time.at, subjects: 2 });
    const end = (subject: string, tokens: number) => store.settle({ subject, id: '1', tokens });
    await store.reserve({ ...call, subject: 'a' });
    await store.reserve({ ...call, subject: 'b' });
    // both are at work, and none of them is forgotten
    await expect(store.reserve({ ...call, subject: 'c' })).rejects.toThrow(
      'createMemoryLimits keeps 2 subjects, and each of them has calls in progress',
    );
    await end('a', 9);
    await end('b', 2);
    expect(await store.reserve({ ...call, subject: 'c' })).toEqual({ ok: true });
    // the one that had used least has gone
    expect(await store.reserve({ ...call, subject: 'a', id: '2', tokens: 17 })).toMatchObject({
      why: 'budget',
    });
  });

  test('still accept a new subject after 200,000 invented ones, which then count together', async () => {
    const time = { at: midnight };
    const store = createMemoryLimits({ now: () => time.at });
    const total = { ...call, totalDailyTokens: 1_000_010 };
    for (let at = 0; at < 200_000; at += 1) {
      const subject = `made-up-${at}`;
      await store.reserve({ ...total, subject });
      await store.settle({ subject, id: '1', tokens: 5 });
    }
    const cpuTime = startCpuTime();
    expect(await store.reserve({ ...total, subject: 'newcomer' })).toEqual({ ok: true });
    expect(cpuTime()).toBeLessThan(50);
    expect(await store.reserve({ ...total, subject: 'another' })).toMatchObject({ ok: false, why: 'total' });
  }, 30_000);
});
