import type { RunEvent } from '@cueline/core';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failureOf, freshDatabase, inLog, logOf, withoutLocks, wordsFrom } from './logs.ts';

describe('the log of a run', () => {
  test('is the same in another tab, batch by batch', async () => {
    const { tab } = freshDatabase();
    const log = logOf(['Take', ' the', ' tram']);
    const storage = tab();
    await storage.append('today', log.slice(0, 1));
    await storage.append('today', log.slice(1, 3));
    expect(await tab().load('today')).toEqual(log.slice(0, 3));
    await storage.append('today', log.slice(3));
    expect(await tab().load('today')).toEqual(log);
  });

  test('is the same for any batches and any id', async () => {
    const { tab, storage } = freshDatabase();
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.string(), cuts, async (id, sizes) => {
        const log: RunEvent[] = [];
        for (const size of sizes) {
          const batch = wordsFrom(log.length, size);
          log.push(...batch);
          await storage.append(id, batch);
        }
        expect(await tab().load(id)).toEqual(log);
      }),
      { numRuns: 40 },
    );
  });

  test('keeps its order if the batches are not awaited', async () => {
    const { storage } = freshDatabase();
    const appended = Array.from({ length: 40 }, (_, index) =>
      storage.append('today', wordsFrom(index * 3, 3)),
    );
    expect(await storage.load('today')).toEqual(wordsFrom(0, 120)); // asked for later, so it sees all of them
    await Promise.all(appended);
  });

  test('is stored as it was when it was passed', async () => {
    const { storage } = freshDatabase();
    const buffer = logOf(['Take']);
    const appended = storage.append('today', buffer);
    buffer.length = 0;
    await appended;
    expect(await storage.load('today')).toEqual(logOf(['Take']));
  });

  test('is replaced by a batch that begins at 0', async () => {
    const { tab, storage } = freshDatabase();
    await storage.append('today', wordsFrom(0, 50));
    await storage.append('today', wordsFrom(50, 50));
    await storage.append('today', logOf(['Again']));
    expect(await storage.load('today')).toEqual(logOf(['Again']));
    await storage.append('today', wordsFrom(2, 1));
    expect(await tab().load('today')).toEqual([...logOf(['Again']), ...wordsFrom(2, 1)]);
  });

  test('continues after it was loaded elsewhere', async () => {
    const { tab } = freshDatabase();
    withoutLocks(); // as if the other tab had gone
    await tab().append('today', wordsFrom(0, 5));
    const next = tab();
    await next.load('today');
    await next.append('today', wordsFrom(5, 5));
    expect(await tab().load('today')).toEqual(wordsFrom(0, 10));
  });

  test('is undefined if none exists, and an empty batch makes none', async () => {
    const { storage } = freshDatabase();
    await storage.append('today', []);
    expect(await storage.load('today')).toBeUndefined();
    expect(await storage.list()).toEqual([]);
  });

  test('is separate from logs of ids with the same beginning', async () => {
    const { storage } = freshDatabase();
    const ids = ['', 'a', 'a,0', 'aa', 'a\u0000', '\uffff'];
    for (const [index, id] of ids.entries()) await storage.append(id, wordsFrom(0, index + 1));
    await storage.remove('a');
    const lengths = await Promise.all(ids.map(async (id) => (await storage.load(id))?.length));
    expect(lengths).toEqual([1, undefined, 3, 4, 5, 6]);
  });
});

describe('a gap', () => {
  test('in appended events is refused', async () => {
    const { storage } = freshDatabase();
    await storage.append('today', wordsFrom(0, 5));
    const fault = [
      'storage_failed',
      'gap',
      'The events of the run "today" from 5 on are not all stored, so what follows them is only in memory. Start the run again to keep it.',
    ];
    expect(await failureOf(storage.append('today', wordsFrom(6, 5)))).toEqual(fault);
    expect(await failureOf(storage.append('today', [...wordsFrom(5, 2), ...wordsFrom(8, 1)]))).toEqual(fault);
    await storage.append('today', wordsFrom(5, 5)); // what was missing may still come
    expect(await storage.load('today')).toEqual(wordsFrom(0, 10));
  });

  // a run drops what it cannot show, and reports that
  test('in the stored log keeps the events before it, and the next write replaces it', async () => {
    const { name, tab, storage } = freshDatabase();
    for (const seq of [0, 5, 10, 15]) await storage.append('today', wordsFrom(seq, 5));
    await damage(name, (batches) => batches.delete(['today', 10]));
    expect(await storage.load('today')).toEqual([...wordsFrom(0, 10), ...wordsFrom(15, 5)]);

    await storage.append('today', wordsFrom(10, 2));
    await storage.append('today', wordsFrom(12, 3));
    expect(await tab().load('today')).toEqual(wordsFrom(0, 15)); // not 20: what stood behind the gap is gone
  });

  test('inside a stored batch lets the next write replace that batch', async () => {
    const { name, storage } = freshDatabase();
    for (const seq of [0, 5]) await storage.append('today', wordsFrom(seq, 5));
    await damage(name, (batches) => batches.put([...wordsFrom(5, 1), ...wordsFrom(9, 1)], ['today', 5]));
    expect(await storage.load('today')).toHaveLength(7);
    await storage.append('today', wordsFrom(5, 2));
    expect(await storage.load('today')).toEqual(wordsFrom(0, 7));
  });

  test('in an invalid batch ends the log before it', async () => {
    const { name, storage } = freshDatabase();
    for (const seq of [0, 5]) await storage.append('today', wordsFrom(seq, 5));
    await damage(name, (batches) => batches.put('nonsense', ['today', 5]));
    expect((await storage.load('today'))?.slice(0, 5)).toEqual(wordsFrom(0, 5));
    await storage.append('today', wordsFrom(5, 2));
    expect(await storage.load('today')).toEqual(wordsFrom(0, 7));
  });

  test('at the beginning lets the run start again', async () => {
    const { name, storage } = freshDatabase();
    for (const seq of [0, 5]) await storage.append('today', wordsFrom(seq, 5));
    await damage(name, (batches) => batches.delete(['today', 0]));
    expect(await storage.load('today')).toEqual(wordsFrom(5, 5));
    await storage.append('today', logOf(['Again']));
    expect(await storage.load('today')).toEqual(logOf(['Again']));
  });
});

describe('the stored runs', () => {
  test('are listed without their events, the latest first', async () => {
    const { tab, storage } = freshDatabase();
    setClock(1_000);
    await storage.append('planner', logOf(['Take', ' the tram'], 'plan-day'));
    setClock(2_000);
    await storage.append('mailer', logOf([], 'write-mail'));
    setClock(3_000);
    await storage.append('planner', inLog([{ type: 'run-end', outcome: 'done' }], 3));
    await storage.append('nameless', wordsFrom(0, 1));
    setClock(4_000);
    await storage.append('nameless', wordsFrom(1, 1));
    expect(await tab().list()).toEqual([
      { id: 'nameless', events: 2, startedAt: 3_000, updatedAt: 4_000 },
      { id: 'planner', name: 'plan-day', events: 4, startedAt: 1_000, updatedAt: 3_000, outcome: 'done' },
      { id: 'mailer', name: 'write-mail', events: 1, startedAt: 2_000, updatedAt: 2_000 },
    ]);
  });

  test('have no outcome if they continue after their end', async () => {
    const { storage } = freshDatabase();
    await storage.append('today', [...logOf([]), ...inLog([{ type: 'run-end', outcome: 'error' }], 1)]);
    await storage.append('today', wordsFrom(2, 1));
    expect((await storage.list()).map(({ outcome }) => outcome)).toEqual([undefined]);
  });

  test('are deleted by remove and clear', async () => {
    const { tab, storage } = freshDatabase();
    for (const id of ['a', 'b', 'c']) await storage.append(id, wordsFrom(0, 3));
    await storage.remove('b');
    await storage.remove('never stored');
    expect((await storage.list()).map(({ id }) => id).toSorted()).toEqual(['a', 'c']);
    expect(await storage.load('b')).toBeUndefined();
    await storage.clear();
    expect(await tab().list()).toEqual([]);
    expect(await storage.load('a')).toBeUndefined();
  });

  test('report their deletion while they continue, until they are started again', async () => {
    const { tab, storage } = freshDatabase();
    await storage.append('today', wordsFrom(0, 3));
    await tab().clear();
    expect(await failureOf(storage.append('today', wordsFrom(3, 3)))).toEqual([
      'storage_failed',
      'gone',
      'The stored log of the run "today" was removed, so the rest of the run is only in memory. Start the run again to store it.',
    ]);
    await storage.append('today', wordsFrom(0, 2));
    expect(await storage.load('today')).toEqual(wordsFrom(0, 2));
  });

  test('lose the least recently written beyond maxRuns', async () => {
    const { name, tab } = freshDatabase();
    const storage = tab({ maxRuns: 3 });
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      setClock(1_000 + index);
      await storage.append(id, wordsFrom(0, 3));
    }
    setClock(2_000);
    await storage.append('a', wordsFrom(3, 3));
    await storage.append('d', wordsFrom(0, 3));
    expect((await storage.list()).map(({ id }) => id)).toEqual(['d', 'a', 'c']);
    expect(await storedKeys(name)).toEqual([
      ['a', 0],
      ['a', 3],
      ['c', 0],
      ['d', 0],
    ]);

    await tab({ maxRuns: 1 }).append('c', wordsFrom(0, 1)); // fewer than there are
    expect((await storage.list()).map(({ id }) => id)).toEqual(['c']);
    expect(await storedKeys(name)).toEqual([['c', 0]]);
  });

  test('keep the run that is starting, even if the clock was set back', async () => {
    const { tab } = freshDatabase();
    const storage = tab({ maxRuns: 2 });
    for (const [clock, id] of [
      [9_000, 'a'],
      [8_000, 'b'],
      [1, 'c'],
    ] as const) {
      setClock(clock);
      await storage.append(id, wordsFrom(0, 1));
    }
    expect((await storage.list()).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  test.each([0, -1, 1.5, Number.NaN])('maxRuns %s is refused', (maxRuns) => {
    expect(() => indexedDbStorage({ maxRuns })).toThrow(
      `indexedDbStorage was given maxRuns ${maxRuns}. Give a whole number of at least 1, or Infinity.`,
    );
  });

  test('an option that does not exist is refused', () => {
    expect(() => indexedDbStorage({ maxRun: 5 } as never)).toThrow(
      'indexedDbStorage has no "maxRun". There are: maxRuns, databaseName.',
    );
  });

  test('are a hundred by default, and all with Infinity', async () => {
    const { tab } = freshDatabase();
    const all = tab({ maxRuns: Infinity });
    for (let index = 0; index < 105; index += 1) await all.append(`run-${index}`, wordsFrom(0, 1));
    expect(await all.list()).toHaveLength(105);
    await tab().append('one more', wordsFrom(0, 1));
    expect(await all.list()).toHaveLength(100);
  });

  test('are separate for databases with other names', async () => {
    const [one, other] = [freshDatabase(), freshDatabase()];
    await one.tab().append('today', wordsFrom(0, 1));
    expect(await other.tab().load('today')).toBeUndefined();
  });
});

function setClock(now: number): void {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  onTestFinished(() => clock.mockRestore());
}

async function damage(name: string, change: (batches: IDBObjectStore) => IDBRequest): Promise<void> {
  await inStore(name, 'readwrite', change);
}

async function storedKeys(name: string): Promise<unknown> {
  return await inStore(name, 'readonly', (batches) => batches.getAllKeys());
}

/** One request to the batches, behind the storage's back. */
async function inStore(
  name: string,
  mode: IDBTransactionMode,
  request: (batches: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const database = await settled<IDBDatabase>(indexedDB.open(name));
  const result = await settled(request(database.transaction('batches', mode).objectStore('batches')));
  database.close();
  return result;
}

async function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return await new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error!));
  });
}
