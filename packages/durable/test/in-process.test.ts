import { PGlite } from '@electric-sql/pglite';
import { createMemoryStore, inProcessDriver } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
import { afterAll, beforeAll } from 'vitest';
import { describeWithRedis, type TestClient } from '../../edge/test/redis/server.ts';
import type { DriverSetup } from './support/driver-setup.ts';
import { driverSuite } from './support/driver-suite.ts';
import { inProcessSetup } from './support/redis-drivers.ts';

const createDriver: DriverSetup['createDriver'] = (options) =>
  inProcessDriver({ onError: () => {}, ...options });

const memory = createMemoryStore();
driverSuite('in process, memory', { createDriver, createStore: async () => memory });

const pglite = new PGlite();
// its database is compiled first
beforeAll(() => pglite.waitReady, 120_000);
afterAll(() => pglite.close());
driverSuite('in process, PGlite', { createDriver, createStore: async () => createSqlStore(pglite) });

describeWithRedis('in process, Redis', (redis) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await redis.connect();
    // each driver of the tests listens to it
    client.setMaxListeners(0);
  });

  driverSuite(
    'in process, Redis',
    inProcessSetup(redis, () => client, 'in-process:'),
  );
});
