import { createRedisShares } from '@cueline/edge/redis';
import { describeWithRedis } from '../../redis/server.ts';
import { describeShareStorage } from '../../shares/conformance.ts';

describeWithRedis('shares in Redis', (redis) => {
  describeShareStorage('redis', {
    open: async () => createRedisShares(await redis.connect()),
    advance: redis.advance,
  });
});
