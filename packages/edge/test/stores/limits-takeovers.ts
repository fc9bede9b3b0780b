import type { LimitStore, Reservation } from '@cueline/edge';
import { describe, expect, test } from 'vitest';

/** What every store of limits does with calls that have epochs. */
export function describeTakeovers(
  name: string,
  open: () => LimitStore | Promise<LimitStore>,
  newCall: (more: Partial<Reservation>) => Reservation,
): void {
  describe(`${name}: a call that another process takes over`, () => {
    test('has one reservation: that of the highest epoch, and what it had before counts in full', async () => {
      const [store, other] = [await open(), await open()];
      const call = newCall({ rpm: 1, concurrent: 1, dailyTokens: 100, group: crypto.randomUUID() });
      const first = { ...call, epoch: 1, tokens: 40, totalDailyTokens: 100 };
      // after any number of takeovers in between that have reserved nothing
      const second = { ...first, epoch: 7, tokens: 30, continues: true };
      expect(await store.reserve(first)).toEqual({ ok: true });
      expect(await other.reserve(second)).toEqual({ ok: true });
      expect(await other.reserve(second)).toEqual({ ok: true });
      expect(await other.adjust({ ...second, tokens: 61 })).toMatchObject({ why: 'budget' });
      expect(await other.adjust({ ...second, tokens: 61, dailyTokens: 200 })).toMatchObject({ why: 'total' });
      expect(await other.adjust({ ...second, tokens: 60 })).toEqual({ ok: true });
      await other.settle({ ...second, tokens: 5 });
      const next = { ...call, id: '2', tokens: 55, totalDailyTokens: 100, continues: true };
      expect(await store.reserve({ ...next, tokens: 56 })).toMatchObject({ why: 'budget' });
      expect(await store.reserve(next)).toEqual({ ok: true });
    });

    test('is not changed by a process of a lower epoch', async () => {
      const [store, other] = [await open(), await open()];
      const call = newCall({ rpm: 9, concurrent: 9, dailyTokens: 100, tokens: 40 });
      const [late, current] = [
        { ...call, epoch: 1 },
        { ...call, epoch: 2 },
      ];
      await store.reserve(current);
      const refused = { ok: false, why: 'concurrent', retryAfterMs: 1_000 };
      expect(await other.reserve(late)).toEqual(refused);
      expect(await other.reserve(call)).toEqual(refused);
      expect(await other.adjust({ ...late, tokens: 0 })).toEqual({ ok: false, why: 'ended' });
      await other.settle({ ...late, tokens: 0 });
      expect(await store.reserve({ ...call, id: '2', tokens: 61 })).toMatchObject({ why: 'budget' });
      expect(await store.adjust({ ...current, tokens: 100 })).toEqual({ ok: true });
      // an adjustment keeps the epoch
      expect(await other.adjust({ ...late, tokens: 0 })).toEqual({ ok: false, why: 'ended' });
      await store.settle({ ...current, tokens: 10 });
      expect(await store.reserve({ ...call, id: '2', tokens: 90 })).toEqual({ ok: true });
    });

    test('counts what it had also if the new reservation is refused', async () => {
      const store = await open();
      const call = newCall({ rpm: 9, concurrent: 1, dailyTokens: 100, tokens: 40, leaseMs: 60_000 });
      await store.reserve(call);
      expect(await store.reserve({ ...call, epoch: 1, tokens: 61 })).toMatchObject({ why: 'budget' });
      expect(await store.adjust({ ...call, tokens: 0 })).toEqual({ ok: false, why: 'ended' });
      expect(await store.reserve({ ...call, id: '2', tokens: 61 })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, id: '2', tokens: 60 })).toEqual({ ok: true });
    });

    test('is changed and ended without an epoch, whichever it has', async () => {
      const store = await open();
      const call = newCall({ rpm: 9, concurrent: 1, tokens: 40, dailyTokens: 100 });
      await store.reserve({ ...call, epoch: 3 });
      expect(await store.adjust({ ...call, tokens: 50 })).toEqual({ ok: true });
      await store.settle({ subject: call.subject, id: call.id });
      expect(await store.reserve({ ...call, id: '2', tokens: 51 })).toMatchObject({ why: 'budget' });
      expect(await store.reserve({ ...call, id: '2', tokens: 50 })).toEqual({ ok: true });
    });
  });
}
