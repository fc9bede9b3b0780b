export type { RedisClient } from './client.ts';
export { createRedisStore, type RedisStoreOptions } from './redis-store.ts';
