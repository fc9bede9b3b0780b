import { beforeAll } from 'vitest';
import { describeWithRedis, type TestClient } from '../../edge/test/redis/server.ts';
import { driverSuite } from './support/driver-suite.ts';
import { bullmqSetup } from './support/redis-drivers.ts';

describeWithRedis('BullMQ', (redis) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await redis.connect();
    // each driver of the tests listens to it
    client.setMaxListeners(0);
  });

  driverSuite(
    'BullMQ',
    bullmqSetup(redis, () => client, 'tests'),
  );
});
