import 'fake-indexeddb/auto';
import { deleteDB, openDB } from 'idb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const NAME = 'cueline-playground';

beforeEach(() => {
  const nothing = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  for (const storage of ['localStorage', 'sessionStorage']) vi.stubGlobal(storage, nothing);
  vi.stubGlobal('indexedDB', new IDBFactory());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

test.each([
  ['blocks storage', async () => void vi.stubGlobal('indexedDB', undefined), /does not let this page store/],
  [
    'does not open the database in time, because another tab holds it',
    async () => {
      await openDB(NAME, 1);
      void deleteDB(NAME);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    },
    /has not opened the storage of this page in time.* Close the other tabs of this page/,
  ],
  [
    'has a database of a newer version of the page',
    async () => {
      (await openDB(NAME, 2)).close();
    },
    /A newer version of this page .* Close all tabs of this page/,
  ],
])(
  'a browser that %s: the page says so, in its message and in the history',
  async (_what, block, expected) => {
    await block();
    const { onStorageProblem } = await import('../../src/state/store.ts');
    const { readRuns } = await import('../../src/history/history.ts');
    const { useLibrary } = await import('../../src/history/library.ts');
    const report = vi.fn();
    onStorageProblem(report);
    const read = readRuns();
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(8_000);
    await read;
    expect(report).toHaveBeenCalledWith(expect.stringMatching(expected));
    const [cause] = report.mock.calls[0]![0].split(/(?<=\.)/);
    expect(useLibrary.getState()).toMatchObject({ isRead: true, problem: cause });
  },
);
