import { inProcessDriver } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll } from 'vitest';
import { describeWithRedis, type TestClient } from '../../edge/test/redis/server.ts';
import { driverSuite, longDriverSuite } from './support/driver-suite.ts';
import { bullmqSetup, inProcessSetup } from './support/redis-drivers.ts';

describeWithRedis('drivers with workers that are killed at every place', (redis) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await redis.connect();
    client.setMaxListeners(0);
  });

  longDriverSuite(
    'BullMQ',
    bullmqSetup(redis, () => client, 'tests'),
  );
  longDriverSuite(
    'in process',
    inProcessSetup(redis, () => client, 'in-process:'),
  );
});

const pglite = new PGlite();
// PGlite compiles its database first
beforeAll(() => pglite.waitReady, 120_000);
afterAll(() => pglite.close());

driverSuite('in process, PGlite', {
  createDriver: (options) => inProcessDriver({ onError: () => {}, ...options }),
  createStore: async () => createSqlStore(pglite),
});
