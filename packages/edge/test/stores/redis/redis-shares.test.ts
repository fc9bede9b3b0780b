import { createRedisShares } from '@cueline/edge/redis';
import { describeShareStorage } from '../../shares/conformance.ts';
import { describeWithRedis } from '../../redis/server.ts';

describeWithRedis('shares in Redis', (redis) => {
  describeShareStorage('redis', {
    open: async () => createRedisShares(await redis.connect()),
    advance: redis.advance,
  });
});
