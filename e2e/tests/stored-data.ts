import type { Page } from '@playwright/test';

/** All data that the page has stored in this browser, as JSON, so that a test can wait until something is stored. */
export function storedData(page: Page): Promise<string> {
  return page.evaluate(dumpStorage);
}

async function dumpStorage(): Promise<string> {
  const opened = (request: IDBRequest): Promise<unknown> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error));
    });
  const kept: unknown[] = [Object.entries(localStorage), Object.entries(sessionStorage)];
  for (const { name } of await indexedDB.databases()) {
    const database = (await opened(indexedDB.open(name!))) as IDBDatabase;
    for (const store of database.objectStoreNames) {
      kept.push(name, await opened(database.transaction(store).objectStore(store).getAll()));
    }
    database.close();
  }
  // the page stores events as JSON, whose quotes are escaped here
  return JSON.stringify(kept).replaceAll(/\\+"/g, '"');
}
