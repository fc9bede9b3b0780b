import type { LimitStore, Reservation } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import { describeTakeovers } from './limits-takeovers.ts';

export type LimitsUnderTest = {
  /** A store, or another client of the same one: they count together. */
  open(): LimitStore | Promise<LimitStore>;
  /** The time that they go by, which these tests move on. */
  clock: { at: number };
};

const minute = 60_000;
const hour = 60 * minute;
const dayMs = 24 * hour;

/** What every store of limits does, wherever it counts. */
export function describeLimitStore(name: string, { open, clock }: LimitsUnderTest): void {
  let count = 0;
  const newCall = (more: Partial<Reservation> = {}): Reservation => ({
    subject: `subject-${(count += 1)}`,
    id: '1',
    tokens: 10,
    rpm: 1_000,
    concurrent: 1_000,
    dailyTokens: 1_000,
    leaseMs: hour,
    ...more,
  });
  /** An hour before a midnight that is to come. */
  const goToEvening = (): void => {
    clock.at = (Math.floor(clock.at / dayMs) + 2) * dayMs - hour;
  };

  describe(`${name}: calls at once`, () => {
    test('are as many as there may be, for each subject', async () => {
      const [store, other] = [await open(), await open()];
      const call = newCall({ concurrent: 2 });
      expect(await store.reserve(call)).toEqual({ ok: true });
      expect(await other.reserve({ ...call, id: '2' })).toEqual({ ok: true });
      const refused = { ok: false, why: 'concurrent', retryAfterMs: 1_000 };
      expect(await store.reserve({ ...call, id: '3' })).toEqual(refused);
      expect(await store.reserve(newCall({ concurrent: 2, id: '3' }))).toEqual({ ok: true });
      await store.settle({ subject: call.subject, id: '2', tokens: 0 });
      expect(await other.reserve({ ...call, id: '3' })).toEqual({ ok: true });
    });

    test('zero, if zero are allowed', async () => {
      const store = await open();
      expect(await store.reserve(newCall({ concurrent: 0 }))).toMatchObject({ why: 'concurrent' });
    });

    test('hold their places until their leases are over, which may be changed', async () => {
      goToEvening();
      const [store, other] = [await open(), await open()];
      const call = newCall({ concurrent: 1, leaseMs: minute, tokens: 900, group: `held-${count}` });
      const total = { group: call.group, totalDailyTokens: 1_000 };
      const another = newCall({ ...total, tokens: 300 });
      await store.reserve(call);
      clock.at += minute - 1;
      expect(await other.adjust({ ...call, tokens: 700, leaseMs: hour })).toEqual({ ok: true });
      clock.at += minute;
      expect(await store.reserve({ ...call, id: '2' })).toMatchObject({ why: 'concurrent' });
      // also without a change of what it has reserved, and past midnight
      await store.adjust({ ...call, tokens: 700, leaseMs: 2 * hour });
      clock.at += hour;
      expect(await other.reserve({ ...call, id: '2', tokens: 10 })).toMatchObject({ why: 'concurrent' });
      expect(await store.reserve({ ...another, tokens: 301 })).toMatchObject({ why: 'total' });
      expect(await store.reserve(another)).toEqual({ ok: true });
      clock.at += hour;
      expect(await other.reserve({ ...call, id: '2', tokens: 10 })).toEqual({ ok: true });
    });
  });

  describe(`${name}: calls a minute`, () => {
    test('are limited, and a refusal says when the next one is possible', async () => {
      const store = await open();
      const call = newCall({ rpm: 3 });
      for (const id of ['1', '2', '3']) {
        expect(await store.reserve({ ...call, id })).toEqual({ ok: true });
        await store.settle({ subject: call.subject, id, tokens: 1 });
        clock.at += 10_000;
      }
      const refused = { ok: false, why: 'rpm', retryAfterMs: 30_000 };
      expect(await store.reserve({ ...call, id: '4' })).toEqual(refused);
      clock.at += 29_999;
      expect(await store.reserve({ ...call, id: '4' })).toMatchObject({ retryAfterMs: 1 });
      clock.at += 1;
      expect(await store.reserve({ ...call, id: '4' })).toEqual({ ok: true });
      // of the minute, not of its first call
      expect(await store.reserve({ ...call, id: '5' })).toMatchObject({ retryAfterMs: 10_000 });
    });

    test('those that continue earlier ones are not counted', async () => {
      const [store, other] = [await open(), await open()];
      const call = newCall({ rpm: 2 });
      expect(await store.reserve(call)).toEqual({ ok: true });
      for (const id of ['2', '3', '4']) {
        expect(await other.reserve({ ...call, id, continues: true })).toEqual({ ok: true });
      }
      expect(await store.reserve({ ...call, id: '5' })).toEqual({ ok: true });
      expect(await store.reserve({ ...call, id: '6', continues: true })).toEqual({ ok: true });
      expect(await store.reserve({ ...call, id: '7' })).toMatchObject({ why: 'rpm' });
      // they take their places all the same
      expect(await store.reserve({ ...call, id: '8', concurrent: 6, continues: true })).toMatchObject({
        why: 'concurrent',
      });
    });

    test('those that were refused are not counted', async () => {
      const store = await open();
      const call = newCall({ rpm: 1, tokens: 2_000 });
      expect(await store.reserve(call)).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, tokens: 5 })).toEqual({ ok: true });
    });
  });

  describe(`${name}: tokens a day`, () => {
    test('are what may be used, and what is reserved counts until it is settled', async () => {
      goToEvening();
      const [store, other] = [await open(), await open()];
      const call = newCall({ dailyTokens: 25, tokens: 20 });
      expect(await store.reserve(call)).toEqual({ ok: true });
      const refused = { ok: false, why: 'budget', retryAfterMs: hour };
      // the call in progress releases what it does not use
      const held = { ...refused, retryAfterMs: 1_000 };
      expect(await other.reserve({ ...call, id: '2', tokens: 10 })).toEqual(held);
      // by itself it would be too large
      expect(await other.reserve({ ...call, id: '2', tokens: 26 })).toEqual(refused);
      await other.settle({ subject: call.subject, id: '1', tokens: 15 });
      // once more changes nothing
      await other.settle({ subject: call.subject, id: '1', tokens: 15 });
      expect(await store.reserve({ ...call, id: '2', tokens: 10 })).toEqual({ ok: true });
      await store.settle({ subject: call.subject, id: '2', tokens: 10 });
      expect(await store.reserve({ ...call, id: '3', tokens: 1 })).toEqual(refused);
      expect(await store.reserve({ ...call, id: '3', tokens: 0 })).toEqual({ ok: true });
    });

    test('start again with the day (UTC), except for calls in progress', async () => {
      goToEvening();
      const store = await open();
      const call = newCall({ dailyTokens: 25, tokens: 10, leaseMs: 3 * hour });
      await store.reserve({ ...call, id: '1' });
      await store.reserve({ ...call, id: '2' });
      await store.settle({ subject: call.subject, id: '1', tokens: 15 });
      clock.at += hour - 1;
      expect(await store.reserve({ ...call, id: '3' })).toMatchObject({ why: 'budget', retryAfterMs: 1 });
      clock.at += 1;
      expect(await store.reserve({ ...call, id: '3', tokens: 16 })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, id: '3', tokens: 15 })).toEqual({ ok: true });
    });

    test('can be without a limit', async () => {
      const store = await open();
      const call = newCall({ dailyTokens: Infinity, rpm: Infinity, concurrent: Infinity, tokens: 1e12 });
      expect(await store.reserve(call)).toEqual({ ok: true });
      expect(await store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
    });

    test('something that is not a number is refused', async () => {
      const store = await open();
      const call = newCall();
      expect(await store.reserve({ ...call, tokens: Number.NaN })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, dailyTokens: Number.NaN })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, tokens: Infinity })).toMatchObject({ why: 'budget' });
      // nothing of it was counted
      expect(await store.reserve({ ...call, concurrent: 1, rpm: 1, tokens: 1_000 })).toEqual({ ok: true });
      for (const tokens of [-1, Infinity, Number.NaN]) {
        expect(await store.reserve({ ...call, id: '2', tokens })).toMatchObject({ why: 'budget' });
        expect(await store.adjust({ ...call, tokens })).toMatchObject({ why: 'budget' });
        expect(await store.adjust({ ...call, tokens: 1, cost: tokens })).toMatchObject({ why: 'budget' });
      }
    });

    test.each([Number.NaN, -5, Infinity, undefined])(
      'settled with %s tokens are what was reserved',
      async (tokens) => {
        const store = await open();
        const call = newCall({ tokens: 600, cost: 3, dailyCost: 5 });
        await store.reserve(call);
        await store.settle({ subject: call.subject, id: '1', tokens, cost: 0 });
        expect(await store.reserve({ ...call, id: '2', tokens: 401, cost: 0 })).toMatchObject({
          why: 'budget',
        });
        expect(await store.reserve({ ...call, id: '2', tokens: 400, cost: 2.5 })).toMatchObject({
          why: 'budget',
        });
        expect(await store.reserve({ ...call, id: '2', tokens: 400, cost: 2 })).toEqual({ ok: true });
      },
    );
  });

  describe(`${name}: money a day`, () => {
    test('is what may be spent, and what is reserved counts until it is settled', async () => {
      goToEvening();
      const [store, other] = [await open(), await open()];
      const call = newCall({ dailyCost: 2.5, cost: 2, tokens: 1, leaseMs: 3 * hour });
      expect(await store.reserve(call)).toEqual({ ok: true });
      const held = { ok: false, why: 'budget', retryAfterMs: 1_000 };
      expect(await other.reserve({ ...call, id: '2', cost: 1 })).toEqual(held);
      await other.settle({ subject: call.subject, id: '1', tokens: 1, cost: 1.5 });
      const refused = { ...held, retryAfterMs: hour };
      expect(await other.reserve({ ...call, id: '2', cost: 1.5 })).toEqual(refused);
      expect(await store.reserve({ ...call, id: '2', cost: 1 })).toEqual({ ok: true });
      clock.at += hour;
      await store.settle({ subject: call.subject, id: '2', tokens: 1, cost: 0.5 });
      expect(await store.reserve({ ...call, id: '3', cost: 2 })).toEqual({ ok: true });
    });
  });

  describe(`${name}: of 50 simultaneous calls of a subject`, () => {
    test.each<[string, Parameters<typeof newCall>[0], number]>([
      ['the limit of simultaneous calls', { concurrent: 7 }, 7],
      ['the limit of calls a minute', { rpm: 9 }, 9],
      ['the daily tokens', { dailyTokens: 105 }, 10],
    ])('no more begin than allowed by %s', async (_limit, limits, allowed) => {
      const stores = [await open(), await open()];
      const call = newCall(limits);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => stores[index % 2]!.reserve({ ...call, id: `${index}` })),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(allowed);
    });
  });

  describe(`${name}: all subjects together`, () => {
    let groups = 0;
    const newTotal = (more: Partial<Reservation> = {}): Reservation =>
      newCall({ group: `group-${(groups += 1)}`, totalDailyTokens: 100, tokens: 40, ...more });

    test('of any subjects use no more of a day than allowed', async () => {
      goToEvening();
      const [store, other] = [await open(), await open()];
      const call = newTotal();
      const as = (name: string, more: Partial<Reservation> = {}) => ({
        ...call,
        ...more,
        subject: `${call.subject}-${name}`,
      });
      expect(await store.reserve(as('a'))).toEqual({ ok: true });
      expect(await other.reserve(as('b'))).toEqual({ ok: true });
      const held = { ok: false, why: 'total', retryAfterMs: 1_000 };
      expect(await store.reserve(as('c'))).toEqual(held);
      // nothing of it was counted for its subject, either
      expect(await store.reserve(as('c', { tokens: 20, rpm: 1, dailyTokens: 20 }))).toEqual({ ok: true });
      await other.settle({ ...as('a'), tokens: 5 });
      expect(await store.reserve(as('d', { tokens: 36 }))).toEqual(held);
      expect(await store.reserve(as('d', { tokens: 96 }))).toEqual({ ...held, retryAfterMs: hour });
      expect(await store.reserve(as('d', { tokens: 35 }))).toEqual({ ok: true });
      // nor do others see any of it
      expect(await store.reserve(newTotal())).toEqual({ ok: true });
    });

    test('spend no more of a day than they may', async () => {
      const store = await open();
      const call = newTotal({ totalDailyTokens: Infinity, totalDailyCost: 1, cost: 0.75 });
      const { subject } = newCall();
      expect(await store.reserve(call)).toEqual({ ok: true });
      expect(await store.reserve({ ...call, subject })).toMatchObject({ why: 'total' });
      await store.settle({ ...call, tokens: 0, cost: 0.25 });
      expect(await store.reserve({ ...call, subject })).toEqual({ ok: true });
    });

    test('start again with the day, except for calls in progress', async () => {
      goToEvening();
      const store = await open();
      const call = newTotal({ tokens: 30 });
      const [a, b, c, d, e] = [1, 2, 3, 4, 5].map((at) => ({ ...call, subject: `${call.subject}-${at}` }));
      for (const each of [{ ...a!, leaseMs: hour / 2 }, { ...b!, leaseMs: 3 * hour }, c!]) {
        expect(await store.reserve(each)).toEqual({ ok: true });
      }
      await store.settle(c!);
      clock.at += hour - 1;
      expect(await store.reserve(d!)).toMatchObject({ why: 'total', retryAfterMs: 1 });
      clock.at += 1;
      expect(await store.reserve({ ...d!, tokens: 71 })).toMatchObject({ why: 'total' });
      expect(await store.reserve({ ...d!, tokens: 70 })).toEqual({ ok: true });
      // its lease ended yesterday, and it counted then
      await store.settle(a!);
      await store.settle({ ...d!, tokens: 60 });
      expect(await store.reserve({ ...e!, tokens: 11 })).toMatchObject({ why: 'total' });
      expect(await store.reserve({ ...e!, tokens: 10 })).toEqual({ ok: true });
    });

    test('of 50 simultaneous calls of 50 subjects, no more begin than the total allows', async () => {
      const stores = [await open(), await open()];
      const call = newTotal({ tokens: 10, totalDailyTokens: 105 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          stores[at % 2]!.reserve({ ...call, subject: `${call.group}-${at}` }),
        ),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(10);
    });
  });

  describe(`${name}: a call in progress`, () => {
    test('can reserve more while it runs, as far as the budget allows, and less', async () => {
      const [store, other] = [await open(), await open()];
      const group = crypto.randomUUID();
      const call = newCall({ rpm: 1, concurrent: 1, dailyTokens: 100, tokens: 40, group });
      await store.reserve(call);
      expect(await other.adjust({ ...call, tokens: 100 })).toEqual({ ok: true });
      expect(await other.adjust({ ...call, tokens: 101 })).toMatchObject({ why: 'budget' });
      expect(await other.adjust({ ...call, tokens: 100, totalDailyTokens: 99 })).toEqual({ ok: true });
      expect(await other.adjust({ ...call, tokens: 10, dailyTokens: 5 })).toEqual({ ok: true });
      const next = { ...call, id: '2', rpm: 2, concurrent: 2, tokens: 91 };
      expect(await store.reserve(next)).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...next, tokens: 90 })).toEqual({ ok: true });
      expect(await store.adjust({ ...call, tokens: 11 })).toMatchObject({ why: 'budget' });
      await store.settle({ ...call, id: '2', tokens: 0 });
      expect(await store.adjust({ ...call, tokens: 50, totalDailyTokens: 49 })).toMatchObject({
        why: 'total',
      });
      // it kept what it had
      await store.settle({ subject: call.subject, id: '1', group });
      expect(await store.reserve({ ...next, rpm: 9, id: '3' })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...next, rpm: 9, id: '3', tokens: 90 })).toEqual({ ok: true });
    });

    test('does nothing once it has ended, and does not start again', async () => {
      const store = await open();
      const call = newCall({ leaseMs: 5_000, concurrent: 1 });
      expect(await store.adjust(call)).toEqual({ ok: false, why: 'ended' });
      await store.reserve(call);
      await store.settle({ ...call, tokens: 1 });
      expect(await store.adjust(call)).toEqual({ ok: false, why: 'ended' });
      await store.reserve({ ...call, id: '2' });
      clock.at += 5_000;
      expect(await store.adjust({ ...call, id: '2' })).toEqual({ ok: false, why: 'ended' });
      expect(await store.reserve({ ...call, id: '3' })).toEqual({ ok: true });
    });
  });

  describeTakeovers(name, open, newCall);

  describe(`${name}: a call`, () => {
    test('that is never settled ends with its lease, at its full price', async () => {
      const store = await open();
      const call = newCall({ concurrent: 1, dailyTokens: 25, tokens: 20, leaseMs: 5_000 });
      await store.reserve(call);
      clock.at += 4_999;
      expect(await store.reserve({ ...call, id: '2' })).toMatchObject({ why: 'concurrent' });
      clock.at += 1;
      expect(await store.reserve({ ...call, id: '2', tokens: 6 })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, id: '2', tokens: 5 })).toEqual({ ok: true });
      // too late: it was charged
      await store.settle({ subject: call.subject, id: '1', tokens: 0 });
      await store.settle({ subject: call.subject, id: '2', tokens: 0 });
      expect(await store.reserve({ ...call, id: '3', tokens: 6 })).toMatchObject({ why: 'budget' });
    });

    test('is counted once, however often it is reserved or settled', async () => {
      const [store, other] = [await open(), await open()];
      const call = newCall({ rpm: 2, concurrent: 2, dailyTokens: 40, tokens: 20 });
      const answers = await Promise.all([store.reserve(call), other.reserve(call), store.reserve(call)]);
      expect(answers).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
      expect(await store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
      await Promise.all([1, 2, 3].map(() => other.settle({ subject: call.subject, id: '1', tokens: 10 })));
      clock.at += minute;
      expect(await store.reserve({ ...call, id: '3', tokens: 11 })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, id: '3', tokens: 10 })).toEqual({ ok: true });
    });

    test('that is unknown cannot be settled', async () => {
      const store = await open();
      const call = newCall({ dailyTokens: 10 });
      await store.settle({ subject: call.subject, id: '1', tokens: 10 });
      expect(await store.reserve(call)).toEqual({ ok: true });
      await store.settle({ subject: call.subject, id: 'other', tokens: 10 });
      await store.settle({ subject: call.subject, id: '1', tokens: 0 });
      expect(await store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
    });

    test('belongs to its subject, whatever characters the subject has', async () => {
      const store = await open();
      const { subject, ...call } = newCall({ concurrent: 1 });
      for (const name of ['', '}', `${subject}:begun`, `{${subject}}`, `${subject}}`, '__proto__', ' \n"']) {
        expect(await store.reserve({ ...call, subject: `${subject}/${name}` })).toEqual({ ok: true });
        expect(await store.reserve({ ...call, id: '2', subject: `${subject}/${name}` })).toMatchObject({
          why: 'concurrent',
        });
      }
    });
  });
}
