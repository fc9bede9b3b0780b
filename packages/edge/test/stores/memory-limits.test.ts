import { createMemoryLimits } from '@cueline/edge';
import { expect, test } from 'vitest';
import { startCpuTime } from '../../../core/test/support/cpu-time.ts';
import { describeLimitStore } from './limits-conformance.ts';

const clock = { at: Date.UTC(2026, 0, 2, 12) };
const store = createMemoryLimits({ now: () => clock.at });

describeLimitStore('memory', { open: () => store, clock });

const call = {
  subject: 'ada',
  id: '1',
  tokens: 10,
  rpm: 2,
  concurrent: 9,
  dailyTokens: 100,
  leaseMs: 60_000,
};

test('calls that began before the clock was set back do not count for the minute', async () => {
  let at = Date.UTC(2026, 0, 2, 12);
  const limits = createMemoryLimits({ now: () => at });
  for (const id of ['1', '2']) {
    await limits.reserve({ ...call, id });
    await limits.settle({ subject: 'ada', id, tokens: 0 });
  }
  expect(await limits.reserve({ ...call, id: '3' })).toMatchObject({ why: 'rpm' });
  at -= 3_600_000;
  expect(await limits.reserve({ ...call, id: '3' })).toEqual({ ok: true });
});

test('a clock that is set back over midnight begins no new day, and the next day does', async () => {
  let at = Date.UTC(2026, 0, 2, 0, 30);
  const limits = createMemoryLimits({ now: () => at });
  const total = { totalDailyTokens: 100 };
  await limits.reserve({ ...call, ...total, id: '1', tokens: 100 });
  await limits.settle({ subject: 'ada', id: '1', tokens: 100 });
  at -= 3_600_000;
  expect(await limits.reserve({ ...call, id: '2' })).toMatchObject({ why: 'budget' });
  expect(await limits.reserve({ ...call, ...total, subject: 'bob', id: '2' })).toMatchObject({
    why: 'total',
  });
  at += 3_600_000;
  expect(await limits.reserve({ ...call, ...total, id: '2' })).toEqual({ ok: true });
});

test('invented subjects neither fill the memory nor block others', async () => {
  const store = createMemoryLimits({ now: () => clock.at, subjects: 2 });
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
  expect(await store.reserve({ ...call, subject: 'a', id: '2', tokens: 92 })).toMatchObject({
    why: 'budget',
  });
});

test('invented subjects beyond the first 5,000 cost no more time each, and all of them count together', async () => {
  const store = createMemoryLimits({ now: () => clock.at, subjects: 5_000 });
  const total = { ...call, totalDailyTokens: 100_010 };
  const cpuTime = startCpuTime();
  for (let at = 0; at < 20_000; at += 1) {
    const subject = `made-up-${at}`;
    await store.reserve({ ...total, subject });
    await store.settle({ subject, id: '1', tokens: 5 });
  }
  expect(cpuTime()).toBeLessThan(2_000);
  expect(await store.reserve({ ...total, subject: 'newcomer' })).toEqual({ ok: true });
  expect(await store.reserve({ ...total, subject: 'another' })).toMatchObject({ ok: false, why: 'total' });
}, 30_000);
