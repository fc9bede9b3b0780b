import type { Page } from '@playwright/test';

/** All that the page has stored in this browser, as JSON: so a test waits until something is stored. */
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
  // events are stored as JSON, whose quotes are escaped here
  return JSON.stringify(kept).replaceAll(/\\+"/g, '"');
}
