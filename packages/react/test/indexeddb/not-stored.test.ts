import { CuelineError } from '@cueline/core';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { failNextWrite, failureOf, freshDatabase, inLog, logOf, wordsFrom } from './logs.ts';

const full = [
  'storage_failed',
  'full',
  'The storage that the browser gives this site is full, so this run continues only in memory. Make room with remove(id) ' +
    'or clear() of the storage, or keep fewer runs: indexedDbStorage({ maxRuns: 20 }).',
];
const denied = [
  'storage_failed',
  'denied',
  'The browser does not let this page store anything (a private window, a frame of another site, or blocked site data), ' +
    'so runs are only in memory. Allow site data for this page, or open it in a tab of its own.',
];

test('on a full disk, a batch is not stored, earlier ones stay, and free space lets it continue', async () => {
  const { tab, storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  const quota = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('no space', 'QuotaExceededError');
  });
  onTestFinished(() => quota.mockRestore());
  const failing = storage.append('today', wordsFrom(5, 5));
  const behind = storage.append('today', wordsFrom(10, 5));
  expect(await failureOf(failing)).toEqual(full);
  expect((await failureOf(behind)).slice(0, 2)).toEqual(['storage_failed', 'gap']);
  quota.mockRestore();
  expect(await tab().load('today')).toEqual(wordsFrom(0, 5));
  await storage.append('today', wordsFrom(5, 5));
  expect(await tab().load('today')).toEqual(wordsFrom(0, 10));
});

test.each([
  ['without a prototype', Object.create(null) as object],
  [
    'whose message throws',
    Object.defineProperty(new Error('unread'), 'message', {
      get() {
        throw new Error('no access');
      },
    }),
  ],
])('a thrown object %s is the cause of the error', async (_what, thrown) => {
  const { tab } = freshDatabase();
  const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw thrown;
  });
  onTestFinished(() => put.mockRestore());
  const error: unknown = await tab()
    .append('today', wordsFrom(0, 5))
    .catch((caught: unknown) => caught);
  // compared by its fields, because a matcher would read the cause
  const { message, cause } = error as CuelineError;
  expect(message).toBe(
    "The browser's database failed (an object that cannot be read), so this run is only in memory for now.",
  );
  expect(cause === thrown).toBe(true);
});

test('events of a start that was not stored are not appended to the log of the earlier start', async () => {
  const { tab, storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  failNextWrite();
  expect(await failureOf(storage.append('today', wordsFrom(0, 5)))).toEqual(full);
  expect((await failureOf(storage.append('today', wordsFrom(5, 5)))).slice(0, 2)).toEqual([
    'storage_failed',
    'gap',
  ]);
  expect(await tab().load('today')).toEqual(wordsFrom(0, 5));
  await storage.append('today', wordsFrom(0, 3));
  expect(await tab().load('today')).toEqual(wordsFrom(0, 3));
});

test('a write that fails half way is rolled back', async () => {
  const { tab, storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  const put = IDBObjectStore.prototype.put;
  const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
    this: IDBObjectStore,
    ...given: Parameters<typeof put>
  ) {
    if (this.name === 'runs') throw new DOMException('no space', 'QuotaExceededError');
    return put.apply(this, given);
  });
  onTestFinished(() => failing.mockRestore());
  // would replace the whole log
  expect(await failureOf(storage.append('today', logOf(['Again'])))).toEqual(full);
  failing.mockRestore();
  expect(await tab().load('today')).toEqual(wordsFrom(0, 5));
});

test('with the quota of a real browser, only batches that fit are appended', async () => {
  vi.stubGlobal('indexedDB', await openBucket('small', 2_000_000));
  onTestFinished(() => void vi.unstubAllGlobals());
  const storage = indexedDbStorage();
  await storage.append('today', wordsFrom(0, 5));
  const large = inLog([{ type: 'warning', message: 'x'.repeat(5_000_000) }], 5);
  expect(await failureOf(storage.append('today', large))).toEqual(full);
  expect(await storage.load('today')).toEqual(wordsFrom(0, 5));
  await storage.append('today', wordsFrom(5, 5));
  expect(await indexedDbStorage().load('today')).toEqual(wordsFrom(0, 10));
});

test.each(['SecurityError', 'InvalidStateError', 'UnknownError'])('open fails with %s', async (name) => {
  const { storage } = freshDatabase();
  const open = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
    throw new DOMException('The operation is insecure.', name);
  });
  onTestFinished(() => open.mockRestore());
  for (const use of [
    () => storage.load('today'),
    () => storage.append('today', wordsFrom(0, 1)),
    () => storage.remove('today'),
    () => storage.list(),
    () => storage.clear(),
  ]) {
    expect(await failureOf(use())).toEqual(denied);
  }
  open.mockRestore(); // it is tried again with every use
  await storage.append('today', wordsFrom(0, 1));
  expect(await storage.load('today')).toEqual(wordsFrom(0, 1));
});

test('a page whose indexedDB property throws reports that it stores nothing', async () => {
  const { tab } = freshDatabase();
  const own = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB')!;
  onTestFinished(() => void Object.defineProperty(globalThis, 'indexedDB', own));
  Object.defineProperty(globalThis, 'indexedDB', {
    configurable: true,
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  });
  expect(await failureOf(tab().load('today'))).toEqual(denied);
  Object.defineProperty(globalThis, 'indexedDB', own);
});

test('a browser without IndexedDB loads nothing, and reports at the first batch that it stores nothing', async () => {
  const { tab } = freshDatabase();
  vi.stubGlobal('indexedDB', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const storage = tab();
  expect(await storage.load('today')).toBeUndefined();
  expect(await storage.list()).toEqual([]);
  await storage.remove('today');
  await storage.clear();
  expect(await failureOf(storage.append('today', wordsFrom(0, 1)))).toEqual(denied);
  vi.unstubAllGlobals();
});

test('a database that another tab blocks is not awaited, and is used once it opens', async () => {
  const { name, tab } = freshDatabase();
  const holder = await openRaw(name, 1);
  indexedDB.deleteDatabase(name); // waits for the holder, which does not release the lock; others wait silently
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const storage = tab();
  const opening = failureOf(storage.load('today'));
  await vi.advanceTimersByTimeAsync(10_000);
  const blocked = [
    'storage_failed',
    'blocked',
    `Another tab keeps the database "${name}" from opening, so runs are only in memory. Close or reload the other tabs of this site.`,
  ];
  expect(await opening).toEqual(blocked);
  expect(await failureOf(storage.append('today', wordsFrom(0, 1)))).toEqual(blocked); // at once
  vi.useRealTimers();

  holder.close();
  await vi.waitFor(() => storage.append('today', wordsFrom(0, 1)));
  expect(await storage.load('today')).toEqual(wordsFrom(0, 1));
});

test('an upgrade that another tab blocks is not awaited', async () => {
  const { tab } = freshDatabase();
  const { open } = IDBFactory.prototype;
  const spy = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (
    this: IDBFactory,
    ...given: Parameters<typeof open>
  ) {
    const request = open.apply(this, given);
    queueMicrotask(() => request.dispatchEvent(new IDBVersionChangeEvent('blocked', { oldVersion: 1 })));
    return request;
  });
  onTestFinished(() => spy.mockRestore());
  const storage = tab();
  expect((await failureOf(storage.load('today'))).slice(0, 2)).toEqual(['storage_failed', 'blocked']);
  await vi.waitFor(() => storage.append('today', wordsFrom(0, 1)));
});

test.each([
  ['of a newer version', 2],
  ['with other contents', 1],
])('a database %s is not changed', async (_, version) => {
  const { name, tab } = freshDatabase();
  const theirs = await openRaw(name, version);
  theirs.close();
  expect(await failureOf(tab().append('today', wordsFrom(0, 1)))).toEqual([
    'storage_failed',
    'foreign',
    `The database "${name}" was created by other code, or by a newer version of this app. Reload the page, or choose another name: indexedDbStorage({ databaseName: 'my-app-runs' }).`,
  ]);
});

test('other errors of the browser are passed on', async () => {
  const { tab } = freshDatabase();
  const cause = new DOMException('the disk is on fire', 'DataError');
  const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw cause;
  });
  onTestFinished(() => failing.mockRestore());
  const error: unknown = await tab()
    .append('today', wordsFrom(0, 1))
    .catch((error: unknown) => error);
  expect(error).toEqual(
    new CuelineError(
      'storage_failed',
      "The browser's database failed (the disk is on fire), so this run is only in memory for now.",
      { cause, details: { reason: 'unknown' } },
    ),
  );
});

async function openRaw(name: string, version: number): Promise<IDBDatabase> {
  return await new Promise((resolve) => {
    const request = indexedDB.open(name, version);
    request.addEventListener('success', () => resolve(request.result));
  });
}

/** The databases of a part of the origin's storage that may take `quota` bytes. */
async function openBucket(name: string, quota: number): Promise<IDBFactory> {
  type Buckets = {
    open(name: string, options: { quota: number }): Promise<{ indexedDB: IDBFactory }>;
    delete(name: string): Promise<void>;
  };
  const { storageBuckets } = navigator as unknown as { storageBuckets: Buckets };
  onTestFinished(() => storageBuckets.delete(name));
  return (await storageBuckets.open(name, { quota })).indexedDB;
}
