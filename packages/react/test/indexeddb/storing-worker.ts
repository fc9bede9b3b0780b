import type { RunEvent } from '@cueline/core';
import { indexedDbStorage } from '@cueline/react/indexeddb';

type Order = { databaseName: string; batches: RunEvent[][] };

addEventListener('message', ({ data }: MessageEvent<Order>) => void store(data));

/** Stores a run, and reports to the page what is stored then. */
async function store({ databaseName, batches }: Order): Promise<void> {
  const storage = indexedDbStorage({ databaseName });
  for (const batch of batches) await storage.append('today', batch);
  const runs = await storage.list();
  postMessage(runs.map(({ id, events }) => ({ id, events })));
}
