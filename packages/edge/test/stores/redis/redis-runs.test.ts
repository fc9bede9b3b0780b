import { createRedisRuns } from '@cueline/edge/redis';
import { describeWithRedis } from '../../redis/server.ts';
import { describeRunLogStore } from '../conformance.ts';

describeWithRedis('runs in Redis', (redis) => {
  describeRunLogStore('redis', {
    open: async () => createRedisRuns(await redis.connect()),
    async advance(ms) {
      // what goes on a moment is waited for
      if (ms > 100) await redis.advance(ms);
      else await new Promise((resolve) => setTimeout(resolve, ms));
    },
  });
});
