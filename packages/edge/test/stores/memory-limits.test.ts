import { createMemoryLimits } from '@cueline/edge';
import { expect, test } from 'vitest';
import { describeLimitStore } from './limits-conformance.ts';

const clock = { at: Date.UTC(2026, 0, 2, 12) };
const store = createMemoryLimits({ now: () => clock.at });

describeLimitStore('memory', { open: () => store, clock });

const call = { subject: 'ada', tokens: 10, rpm: 2, concurrent: 9, dailyTokens: 100, leaseMs: 60_000 };

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
