import type { RunEvent } from '@cueline/core';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { failNextWrite, failureOf, freshDatabase, inLog, withoutLocks, wordsFrom } from './logs.ts';

const otherTab = [
  'storage_failed',
  'other_tab',
  'Another tab writes the run "today", so here it is only in memory. Give each tab an id of its own, or start the run ' +
    'again to keep this one. Where there is no other tab, call indexedDbStorage() once, outside of components.',
];

test('loading a run that is running in another tab does not take it over', async () => {
  const { tab } = freshDatabase();
  const [one, two] = [tab(), tab()];
  await one.append('today', wordsFrom(0, 10));
  await two.load('today');
  const interrupted = inLog([{ type: 'run-end', outcome: 'error' }], 10);
  expect(await failureOf(two.append('today', interrupted))).toEqual(otherTab);
  await one.append('today', wordsFrom(10, 5));
  expect(await tab().load('today')).toEqual(wordsFrom(0, 15));
});

test('another tab can continue a run that has ended, and then owns it', async () => {
  const { tab } = freshDatabase();
  const [one, two] = [tab(), tab()];
  const end = inLog([{ type: 'run-end', outcome: 'stopped' }], 10);
  await one.append('today', [...wordsFrom(0, 10), ...end]);
  await two.load('today');
  await two.append('today', wordsFrom(11, 2));
  expect(await failureOf(one.append('today', wordsFrom(11, 3)))).toEqual(otherTab);
  await one.load('today');
  expect(await failureOf(one.append('today', wordsFrom(13, 3)))).toEqual(otherTab);
  expect(await tab().load('today')).toEqual([...wordsFrom(0, 10), ...end, ...wordsFrom(11, 2)]);
});

test('a run that continues after its end belongs to its tab again', async () => {
  const { tab } = freshDatabase();
  const [one, two] = [tab(), tab()];
  await one.append('today', inLog([{ type: 'run-end', outcome: 'error' }]));
  await one.append('today', wordsFrom(1, 2));
  await two.load('today');
  expect(await failureOf(two.append('today', wordsFrom(3, 2)))).toEqual(otherTab);
});

test('a start takes the run from the tab that has it', async () => {
  const { tab } = freshDatabase();
  const [one, two] = [tab(), tab()];
  await one.append('today', wordsFrom(0, 10));
  await two.append('today', wordsFrom(0, 10));
  await two.append('today', wordsFrom(10, 1));
  await one.append('today', wordsFrom(0, 3));
  expect(await failureOf(two.append('today', wordsFrom(11, 1)))).toEqual(otherTab);
  const three = tab();
  expect(await three.load('today')).toEqual(wordsFrom(0, 3));
  expect(await failureOf(three.append('today', wordsFrom(3, 1)))).toEqual(otherTab);
});

test('a tab that no longer writes a run lets another one end it', async () => {
  const { tab } = freshDatabase();
  const [one, two] = [tab(), tab()];
  await one.append('today', wordsFrom(0, 10));
  failNextWrite();
  expect((await failureOf(one.append('today', wordsFrom(10, 5))))[1]).toBe('full');
  await two.load('today');
  await two.append('today', wordsFrom(10, 1));
  expect(await tab().load('today')).toEqual(wordsFrom(0, 11));
});

describe.each(['with', 'without'])('%s Web Locks', (locks) => {
  test('a start that could not be stored does not take the run from a tab that has started it since', async () => {
    if (locks === 'without') withoutLocks();
    const { tab } = freshDatabase();
    const [one, two] = [tab(), tab()];
    failNextWrite();
    expect((await failureOf(one.append('today', wordsFrom(0, 10))))[1]).toBe('full');
    await two.append('today', wordsFrom(0, 5));
    expect(await failureOf(one.append('today', wordsFrom(0, 12), { again: true }))).toEqual(otherTab);
    expect(await tab().load('today')).toEqual(wordsFrom(0, 5));
    // a new start takes it
    await one.append('today', wordsFrom(0, 3));
    expect(await tab().load('today')).toEqual(wordsFrom(0, 3));
  });

  test('a start that could not be stored is stored later', async () => {
    if (locks === 'without') withoutLocks();
    const { tab } = freshDatabase();
    const one = tab();
    await tab().append('today', wordsFrom(0, 5));
    failNextWrite();
    await failureOf(one.append('today', wordsFrom(0, 10)));
    await one.append('today', wordsFrom(0, 12), { again: true });
    expect(await tab().load('today')).toEqual(wordsFrom(0, 12));
  });
});

describe('without Web Locks', () => {
  beforeEach(withoutLocks);

  test('a tab that has not loaded the log cannot append to it', async () => {
    const { tab } = freshDatabase();
    await tab().append('today', wordsFrom(0, 10));
    const other = tab();
    expect(await failureOf(other.append('today', wordsFrom(5, 5)))).toEqual(otherTab);
    expect(await failureOf(other.append('today', wordsFrom(10, 5)))).toEqual(otherTab); // would fit by its place
    expect(await tab().load('today')).toEqual(wordsFrom(0, 10));
  });

  test('the first of two tabs that continue a run wins', async () => {
    const { tab } = freshDatabase();
    await tab().append('today', wordsFrom(0, 10));
    const [one, two] = [tab(), tab()];
    await one.load('today');
    await two.load('today');
    await one.append('today', wordsFrom(10, 5));
    expect(await failureOf(two.append('today', wordsFrom(10, 3)))).toEqual(otherTab);
    // would fit, and would be a mixture
    expect(await failureOf(two.append('today', wordsFrom(15, 3)))).toEqual(otherTab);
    await one.append('today', wordsFrom(15, 5));
    expect(await tab().load('today')).toEqual(wordsFrom(0, 20));
  });

  test('the last start replaces the run of another tab, however long both logs are', async () => {
    const { tab } = freshDatabase();
    const [one, two] = [tab(), tab()];
    await one.append('today', wordsFrom(0, 10));
    await two.append('today', wordsFrom(0, 10));
    expect(await failureOf(one.append('today', wordsFrom(10, 5)))).toEqual(otherTab);
    await two.append('today', wordsFrom(10, 1));
    expect(await tab().load('today')).toEqual(wordsFrom(0, 11));
  });

  test('loading takes the run over: later writes of its own tab are refused', async () => {
    const { tab } = freshDatabase();
    const [one, two] = [tab(), tab()];
    await one.append('today', wordsFrom(0, 10));
    await two.load('today');
    await two.append('today', wordsFrom(10, 5));
    expect(await failureOf(one.append('today', wordsFrom(10, 5)))).toEqual(otherTab);
    await one.load('today');
    await one.append('today', wordsFrom(15, 5));
    expect(await tab().load('today')).toEqual(wordsFrom(0, 20));
  });

  test('events of a removed run are not appended to a run that another tab has started since', async () => {
    const { tab } = freshDatabase();
    const [one, two, three] = [tab(), tab(), tab()];
    await one.append('today', wordsFrom(0, 3));
    await one.remove('today');
    await three.append('today', wordsFrom(0, 2));
    await three.clear();
    await two.append('today', wordsFrom(0, 3));
    expect(await failureOf(one.append('today', wordsFrom(3, 1)))).toEqual(otherTab);
    expect(await failureOf(three.append('today', wordsFrom(3, 1)))).toEqual(otherTab);
  });

  test('for any actions of tabs and disk, the stored log is complete and of one run', async () => {
    const action = fc.record({
      tab: fc.constantFrom(0, 1, 2),
      does: fc.constantFrom('start', 'append', 'append', 'append', 'load', 'remove', 'clear'),
      events: fc.integer({ min: 1, max: 4 }),
      diskIsFull: fc.constantFrom(false, false, false, true),
    });
    const put = vi.spyOn(IDBObjectStore.prototype, 'put');
    onTestFinished(() => put.mockRestore());
    const fail = (): never => {
      throw new DOMException('no space', 'QuotaExceededError');
    };
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 30 }), async (actions) => {
        const { tab } = freshDatabase();
        const reader = tab();
        const tabs = [0, 1, 2].map(() => ({ storage: tab(), log: [] as RunEvent[] }));
        let stored: RunEvent[] | undefined;
        let said = 0;
        for (const { tab: index, does, events, diskIsFull } of actions) {
          const { storage, log } = tabs[index]!;
          if (does === 'remove' || does === 'clear') {
            await storage[does]('today');
            stored = undefined;
          } else if (does === 'load') {
            tabs[index]!.log = [...((await storage.load('today')) ?? [])];
          } else {
            if (does === 'start') log.length = 0;
            const batch = inLog(
              Array.from({ length: events }, () => ({ type: 'warning', message: `${index}:${(said += 1)}` })),
              log.length,
            );
            log.push(...batch); // a run goes on in memory, whether it is stored or not
            if (diskIsFull) put.mockImplementationOnce(fail);
            const [code] = await failureOf(storage.append('today', batch));
            put.mockReset();
            if (code === 'did not fail') stored = [...log];
            else refused += 1;
          }
          expect(await reader.load('today')).toEqual(stored);
        }
      }),
      { numRuns: 60 },
    );
    expect(refused).toBeGreaterThan(20);
  }, 60_000);
});
