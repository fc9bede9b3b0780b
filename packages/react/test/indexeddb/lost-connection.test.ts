import { expect, onTestFinished, test, vi } from 'vitest';
import { cdp } from 'vitest/browser';
import { failureOf, freshDatabase, wordsFrom } from './logs.ts';

test('a database that is deleted from outside is created again by the next use', async () => {
  const { name, storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  const deletion = indexedDB.deleteDatabase(name);
  await new Promise((resolve) => deletion.addEventListener('success', resolve));

  expect((await failureOf(storage.append('today', wordsFrom(5, 5)))).slice(0, 2)).toEqual([
    'storage_failed',
    'gone',
  ]);
  expect(await storage.load('today')).toBeUndefined();
  await storage.append('today', wordsFrom(0, 3));
  expect(await storage.load('today')).toEqual(wordsFrom(0, 3));
});

test('a run continues after the user clears the site data', async () => {
  const { storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  // Vitest leaves the session's type to the browser provider, whose types are not for pages
  const devTools = cdp() as unknown as { send(method: string, parameters: unknown): Promise<void> };
  await devTools.send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });
  expect(await storage.load('today')).toBeUndefined();
  await storage.append('today', wordsFrom(0, 3));
  expect(await storage.load('today')).toEqual(wordsFrom(0, 3));
});

test('if clearing site data interrupts an opening, it is repeated, and fails only the second time', async () => {
  const { tab } = freshDatabase();
  const interrupted = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
    throw new DOMException('The connection was closed.', 'AbortError');
  });
  onTestFinished(() => interrupted.mockRestore());
  expect(await failureOf(tab().load('today'))).toEqual([
    'storage_failed',
    'unknown',
    "The browser's database failed (The connection was closed.), so this run is only in memory for now.",
  ]);
  expect(interrupted).toHaveBeenCalledTimes(2);

  interrupted.mockRestore();
  const interruptedOnce = vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
    throw new DOMException('The connection was closed.', 'AbortError');
  });
  onTestFinished(() => interruptedOnce.mockRestore());
  const storage = tab();
  await storage.append('today', wordsFrom(0, 5));
  expect(await storage.load('today')).toEqual(wordsFrom(0, 5));
});

test('a connection that the browser closed is opened again, and no event is missing', async () => {
  const connections = watchConnections();
  const { storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  connections[0]!.close();
  connections[0]!.dispatchEvent(new Event('close'));
  await storage.append('today', wordsFrom(5, 5));
  connections[1]!.close(); // without a word
  await storage.append('today', wordsFrom(10, 5));
  expect(connections).toHaveLength(3);
  expect(await storage.load('today')).toEqual(wordsFrom(0, 15));
});

test('a lost transaction is repeated', async () => {
  const { tab, storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  loseNext((transaction) => transaction.abort());
  const lost = storage.append('today', wordsFrom(5, 5));
  await storage.append('today', wordsFrom(10, 5)); // does not overtake it
  await lost;
  expect(await tab().load('today')).toEqual(wordsFrom(0, 15));
});

test('a write whose response is lost is not repeated', async () => {
  const { tab, storage } = freshDatabase();
  await storage.append('today', wordsFrom(0, 5));
  loseNext((transaction) => {
    const silence = (event: Event): void => event.stopImmediatePropagation();
    transaction.addEventListener('complete', (event) => {
      silence(event);
      transaction.dispatchEvent(new Event('abort'));
    });
  });
  await storage.append('today', wordsFrom(5, 5));
  await storage.append('today', wordsFrom(10, 5));
  expect(await tab().load('today')).toEqual(wordsFrom(0, 15));
});

test('the error is reported if a new connection fails, too', async () => {
  const { storage } = freshDatabase();
  const lost = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
    throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError');
  });
  onTestFinished(() => lost.mockRestore());
  expect(await failureOf(storage.load('today'))).toEqual([
    'storage_failed',
    'unknown',
    "The browser's database failed (Connection to Indexed Database server lost.), so this run is only in memory for now.",
  ]);
  expect(lost).toHaveBeenCalledTimes(2);
});

/** Every connection that is opened from now on. */
function watchConnections(): IDBDatabase[] {
  const connections: IDBDatabase[] = [];
  const { open } = IDBFactory.prototype;
  const spy = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (
    this: IDBFactory,
    ...given: Parameters<typeof open>
  ) {
    const request = open.apply(this, given);
    request.addEventListener('success', () => connections.push(request.result));
    return request;
  });
  onTestFinished(() => spy.mockRestore());
  return connections;
}

/** Lets something happen to the next transaction. */
function loseNext(lose: (transaction: IDBTransaction) => void): void {
  const { transaction: begin } = IDBDatabase.prototype;
  const spy = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(function (
    this: IDBDatabase,
    ...given: Parameters<typeof begin>
  ) {
    const transaction = begin.apply(this, given);
    lose(transaction);
    return transaction;
  });
  onTestFinished(() => spy.mockRestore());
}
