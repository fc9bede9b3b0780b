import { describe, expect, test } from 'vitest';
import { createMemoryLimits, type LimitStore } from './support.ts';

const call = { subject: 'ada', id: '1', tokens: 10, rpm: 3, concurrent: 2, dailyTokens: 25, leaseMs: 60_000 };
const midnight = Date.UTC(2026, 0, 2);

function clock(at = midnight - 3_600_000): { store: LimitStore; at: number } {
  const time: { at: number; store: LimitStore } = { at, store: createMemoryLimits({ now: () => time.at }) };
  return time;
}

describe('limits in memory', () => {
  test('as many at once as there may be', async () => {
    const { store } = clock();
    expect(await store.reserve({ ...call, id: '1' })).toEqual({ ok: true });
    expect(await store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
    expect(await store.reserve({ ...call, id: '3' })).toEqual({
      ok: false,
      why: 'concurrent',
      retryAfterMs: 1_000,
    });
    // somebody else
    expect(await store.reserve({ ...call, id: '3', subject: 'eve' })).toEqual({ ok: true });
    await store.settle({ subject: 'ada', id: '1', tokens: 0 });
    expect(await store.reserve({ ...call, id: '3' })).toEqual({ ok: true });
  });

  test('as many a minute as there may be, and when the next may come', async () => {
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

  test('as many tokens a day: reserved ones count until they are settled', async () => {
    const time = clock();
    await time.store.reserve({ ...call, id: '1', tokens: 20 });
    const refused = { ok: false, why: 'budget', retryAfterMs: 3_600_000 };
    expect(await time.store.reserve({ ...call, id: '2' })).toEqual(refused);
    await time.store.settle({ subject: 'ada', id: '1', tokens: 15 });
    // once more changes nothing
    await time.store.settle({ subject: 'ada', id: '1', tokens: 15 });
    expect(await time.store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
    await time.store.settle({ subject: 'ada', id: '2', tokens: 10 });
    expect(await time.store.reserve({ ...call, id: '3', tokens: 1 })).toEqual(refused);
    time.at = midnight;
    expect(await time.store.reserve({ ...call, id: '3' })).toEqual({ ok: true });
  });

  test('a call that nobody settles ends with its lease, at its full price', async () => {
    const time = clock();
    await time.store.reserve({ ...call, id: '1', tokens: 20, leaseMs: 5_000, concurrent: 1 });
    time.at += 5_000;
    expect(await time.store.reserve({ ...call, id: '2', concurrent: 1 })).toMatchObject({ why: 'budget' });
    expect(await time.store.reserve({ ...call, id: '2', tokens: 5, concurrent: 1 })).toEqual({ ok: true });
  });

  test('no number that is none gets through', async () => {
    const { store } = clock();
    expect(await store.reserve({ ...call, tokens: Number.NaN })).toMatchObject({ why: 'budget' });
    expect(await store.reserve({ ...call, dailyTokens: Number.NaN })).toMatchObject({ why: 'budget' });
  });

  test('made-up subjects do not fill the memory', async () => {
    const time = { at: midnight };
    const store = createMemoryLimits({ now: () => time.at, subjects: 2 });
    await store.reserve({ ...call, subject: 'a' });
    await store.reserve({ ...call, subject: 'b' });
    await expect(store.reserve({ ...call, subject: 'c' })).rejects.toThrow('more than 2 subjects');
    await store.settle({ subject: 'a', id: '1', tokens: 0 });
    time.at += 60_001;
    expect(await store.reserve({ ...call, subject: 'c' })).toEqual({ ok: true });
  });
});
