import type { LimitStore, Reservation } from '@cueline/edge';
import { describe, expect, test } from 'vitest';

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

    test('none, where there may be none', async () => {
      const store = await open();
      expect(await store.reserve(newCall({ concurrent: 0 }))).toMatchObject({ why: 'concurrent' });
    });

    test('of 50 that come together no more begin than may', async () => {
      const stores = [await open(), await open()];
      const call = newCall({ concurrent: 7 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => stores[index % 2]!.reserve({ ...call, id: `${index}` })),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(7);
    });
  });

  describe(`${name}: calls a minute`, () => {
    test('are as many as there may be, and it says when the next may come', async () => {
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

    test('those that were refused are not counted', async () => {
      const store = await open();
      const call = newCall({ rpm: 1, tokens: 2_000 });
      expect(await store.reserve(call)).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, tokens: 5 })).toEqual({ ok: true });
    });

    test('of 50 that come together no more begin than may', async () => {
      const stores = [await open(), await open()];
      const call = newCall({ rpm: 9 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => stores[index % 2]!.reserve({ ...call, id: `${index}` })),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(9);
    });
  });

  describe(`${name}: tokens a day`, () => {
    test('are what may be used, and what is reserved counts until it is settled', async () => {
      goToEvening();
      const [store, other] = [await open(), await open()];
      const call = newCall({ dailyTokens: 25, tokens: 20 });
      expect(await store.reserve(call)).toEqual({ ok: true });
      const refused = { ok: false, why: 'budget', retryAfterMs: hour };
      expect(await other.reserve({ ...call, id: '2', tokens: 10 })).toEqual(refused);
      await other.settle({ subject: call.subject, id: '1', tokens: 15 });
      expect(await store.reserve({ ...call, id: '2', tokens: 10 })).toEqual({ ok: true });
      await store.settle({ subject: call.subject, id: '2', tokens: 10 });
      expect(await store.reserve({ ...call, id: '3', tokens: 1 })).toEqual(refused);
      expect(await store.reserve({ ...call, id: '3', tokens: 0 })).toEqual({ ok: true });
    });

    test('begin anew with the day (UTC), but for what goes on', async () => {
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

    test('a number that is none refuses', async () => {
      const store = await open();
      const call = newCall();
      expect(await store.reserve({ ...call, tokens: Number.NaN })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, dailyTokens: Number.NaN })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, tokens: Infinity })).toMatchObject({ why: 'budget' });
      // nothing of it was counted
      expect(await store.reserve({ ...call, concurrent: 1, rpm: 1, tokens: 1_000 })).toEqual({ ok: true });
      await store.settle({ subject: call.subject, id: '1', tokens: Number.NaN });
      expect(await store.reserve({ ...call, id: '2', tokens: 0 })).toMatchObject({ why: 'budget' });
    });

    test('of 50 calls that come together no more begin than there are tokens for', async () => {
      const stores = [await open(), await open()];
      const call = newCall({ dailyTokens: 105 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => stores[index % 2]!.reserve({ ...call, id: `${index}` })),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(10);
    });
  });

  describe(`${name}: a call`, () => {
    test('that nobody settles ends with its lease, at its full price', async () => {
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

    test('is counted once, however often it is asked for or settled', async () => {
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

    test('that is not known is settled for nothing', async () => {
      const store = await open();
      const call = newCall({ dailyTokens: 10 });
      await store.settle({ subject: call.subject, id: '1', tokens: 10 });
      expect(await store.reserve(call)).toEqual({ ok: true });
      await store.settle({ subject: call.subject, id: 'other', tokens: 10 });
      await store.settle({ subject: call.subject, id: '1', tokens: 0 });
      expect(await store.reserve({ ...call, id: '2' })).toEqual({ ok: true });
    });

    test('keeps to its subject, whatever characters that has', async () => {
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
