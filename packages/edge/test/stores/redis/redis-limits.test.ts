import { createMemoryLimits, type LimitStore } from '@cueline/edge';
import { createRedisLimits } from '@cueline/edge/redis';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeWithRedis } from '../../redis/server.ts';
import { describeLimitStore } from '../limits-conformance.ts';

describeWithRedis('limits in Redis', (redis) => {
  const clock = { at: Date.UTC(2026, 0, 2, 12) };
  const open = async (): Promise<LimitStore> =>
    createRedisLimits(await redis.connect(), { now: () => clock.at });

  describeLimitStore('redis', { open, clock });

  test('answer as those in memory do, for any calls', async () => {
    const store = await open();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        runs += 1;
        const memory = createMemoryLimits({ now: () => clock.at });
        for (const { advance, subject: name, what, ...rest } of steps) {
          clock.at += advance;
          const call = { ...rest, subject: `${runs}-${name}`, group: `${runs}` };
          const [answer, expected] = await Promise.all([store[what](call), memory[what](call)]);
          expect(answer).toEqual(expected);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  test('go by the clock of the server, unless they are given another', async () => {
    const store = createRedisLimits(await redis.connect());
    const subject = crypto.randomUUID();
    const call = { subject, id: '1', tokens: 1, rpm: 1, concurrent: 1, dailyTokens: 9, leaseMs: 500 };
    const before = Date.now();
    expect(await store.reserve(call)).toEqual({ ok: true });
    expect(await store.reserve({ ...call, id: '2' })).toMatchObject({ why: 'concurrent' });
    await new Promise((resolve) => setTimeout(resolve, 510));
    const refused = await store.reserve({ ...call, id: '2' });
    expect(refused).toMatchObject({ why: 'rpm' });
    const { retryAfterMs } = refused as { retryAfterMs: number };
    expect(retryAfterMs).toBeLessThan(60_000);
    expect(retryAfterMs).toBeGreaterThan(60_000 - (Date.now() - before) - 10);
  });

  test('remember the calls of one minute, and no more', async () => {
    const client = await redis.connect();
    const store = createRedisLimits(client, { prefix: 'minute:', now: () => clock.at });
    const call = { tokens: 0, rpm: 9, concurrent: 9, dailyTokens: 9, leaseMs: 1_000 };
    for (let id = 0; id < 20; id += 1) {
      expect(await store.reserve({ ...call, subject: 'ada', id: `${id}` })).toEqual({ ok: true });
      clock.at += 20_000;
    }
    expect(await client.lLen('minute:{limits}:begun:ada')).toBe(3);
    expect(await client.hLen('minute:{limits}:leases:ada')).toBe(1);
  });

  test('read what an earlier version has stored, which had no epochs', async () => {
    const client = await redis.connect();
    const store = createRedisLimits(client, { prefix: 'earlier:', now: () => clock.at });
    const subject = crypto.randomUUID();
    const call = {
      subject,
      id: '1',
      tokens: 5,
      rpm: 9,
      concurrent: 1,
      dailyTokens: 9,
      leaseMs: 1_000,
    };
    await store.reserve(call);
    const leases = `earlier:{limits}:leases:${subject}`;
    await client.hSet(leases, '1', `5 0 ${clock.at + 1_000}`);
    expect(await store.reserve({ ...call, id: '2' })).toMatchObject({ why: 'concurrent' });
    expect(await store.adjust({ ...call, epoch: 0 })).toEqual({ ok: true });
    expect(await store.reserve({ ...call, epoch: 1, tokens: 4 })).toEqual({ ok: true });
    expect(await store.reserve({ ...call, epoch: 2, tokens: 1 })).toMatchObject({ why: 'budget' });
  });

  test('keep nothing for ever, and nothing of a subject that was only refused', async () => {
    const client = await redis.connect();
    const store = createRedisLimits(client, { prefix: 'test:' });
    const call = { id: '1', tokens: 1, rpm: 1, concurrent: 1, dailyTokens: 9, leaseMs: 3_600_000 };
    await store.reserve({ ...call, subject: 'refused', tokens: 10 });
    await store.reserve({ ...call, subject: 'ada' });
    const keys = (await client.keys('test:*')).toSorted();
    expect(keys).toEqual(
      ['account:ada', 'begun:ada', 'leases:ada', 'total:calls'].map((key) => `test:{limits}:${key}`),
    );
    const dayMs = 86_400_000;
    for (const key of keys) {
      const ms = await client.pTTL(key);
      expect(ms).toBeGreaterThan(dayMs + call.leaseMs);
      expect(ms).toBeLessThanOrEqual(2 * dayMs + call.leaseMs);
    }
  });
});

const none = fc.constant(Number.NaN);

const step = fc.record({
  advance: fc.constantFrom(0, 0, 0, 1, 20_000, 59_999, 60_000, 8 * 3_600_000),
  what: fc.constantFrom('reserve' as const, 'reserve' as const, 'adjust' as const, 'settle' as const),
  subject: fc.constantFrom('a', 'b'),
  id: fc.constantFrom('1', '2', '3', '4', '5'),
  epoch: fc.constantFrom(undefined, undefined, 1, 2, 3),
  tokens: fc.oneof({ weight: 15, arbitrary: fc.nat(12) }, { weight: 1, arbitrary: none }),
  cost: fc.oneof({ weight: 15, arbitrary: fc.nat(12) }, { weight: 1, arbitrary: none }),
  dailyCost: fc.constantFrom(10, 30, Infinity),
  totalDailyTokens: fc.constantFrom(20, 60, Infinity),
  totalDailyCost: fc.constantFrom(20, 60, Infinity),
  rpm: fc.constantFrom(0, 1, 3, 5, Infinity),
  concurrent: fc.constantFrom(0, 1, 2, 3, Infinity),
  dailyTokens: fc.constantFrom(0, 10, 30, 60, Infinity),
  leaseMs: fc.constantFrom(0, 1, 30_000, 120_000, 10 * 3_600_000),
});
