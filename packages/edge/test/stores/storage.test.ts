import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStorageRuns, createStorageShares } from '@cueline/edge/unstorage';
import { createStorage, type Storage } from 'unstorage';
import fsDriver from 'unstorage/drivers/fs';
import memoryDriver from 'unstorage/drivers/memory';
import { afterAll } from 'vitest';
import { describeShareStorage } from '../shares/conformance.ts';
import { describeRunLogStore } from './conformance.ts';

const folder = await mkdtemp(join(tmpdir(), 'cueline-storage-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const inMemory = createStorage({ driver: memoryDriver() });

const drivers: Record<string, () => Storage> = {
  memory: () => inMemory,
  // as another process would open it
  fs: () => createStorage({ driver: fsDriver({ base: folder }) }),
};

for (const [driver, openStorage] of Object.entries(drivers)) {
  let passed = 0;
  const now = (): number => Date.now() + passed;
  const oneAtATime = driver === 'fs';

  describeRunLogStore(`unstorage, ${driver}`, {
    open: () => createStorageRuns(openStorage(), { pollMs: 10, now }),
    async advance(ms) {
      if (ms > 100) passed += ms;
      else await new Promise((resolve) => setTimeout(resolve, ms));
    },
    oneAtATime,
    hearMs: 100,
  });

  describeShareStorage(`unstorage, ${driver}`, {
    open: () => createStorageShares(openStorage(), { now }),
    advance: (ms) => void (passed += ms),
    now,
    oneAtATime,
  });
}
