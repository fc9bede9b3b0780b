import { beforeAll } from 'vitest';
import { describeWithRedis, type TestClient } from '../../edge/test/redis/server.ts';
import { longDriverSuite } from './support/driver-suite.ts';
import { bullmqSetup, inProcessSetup } from './support/redis-drivers.ts';

describeWithRedis('drivers, whose workers are killed at every place', (redis) => {
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
