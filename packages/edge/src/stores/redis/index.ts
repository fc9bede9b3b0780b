export type { RedisClient, RedisSubscriber, ScriptOptions } from './client.ts';
export { createRedisRuns, type RedisRunsOptions } from './redis-runs.ts';
export { createRedisLimits, type RedisLimitsOptions } from './redis-limits.ts';
export { createRedisShares, type RedisSharesOptions } from './redis-shares.ts';
