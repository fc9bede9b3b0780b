import { inProcessDriver } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import type { TestClient, TestRedis } from '../../../edge/test/redis/server.ts';
import { LOCK_MS } from './bullmq-worker.ts';
import type { DriverSetup } from './driver-setup.ts';

/** Runs over BullMQ, in a queue and a store of their own. */
export function bullmqSetup(redis: TestRedis, client: () => TestClient, queue: string): DriverSetup {
  const prefix = `${queue}:`;
  return {
    createDriver: (options) =>
      bullmqDriver({ connection: client(), queue, lockMs: LOCK_MS, onError: () => {}, ...options }),
    createStore: async () => createRedisStore(client(), { prefix }),
    workers: {
      module: new URL('bullmq-worker.ts', import.meta.url),
      argument: JSON.stringify({ path: redis.path, queue, prefix }),
      many: true,
    },
    engine: { kill: redis.kill, start: redis.start },
  };
}

/** Runs in processes of one machine, in a store that the tests can read meanwhile. */
export function inProcessSetup(redis: TestRedis, client: () => TestClient, prefix: string): DriverSetup {
  return {
    createDriver: (options) => inProcessDriver({ onError: () => {}, ...options }),
    createStore: async () => createRedisStore(client(), { prefix }),
    workers: {
      module: new URL('in-process-worker.ts', import.meta.url),
      argument: JSON.stringify({ path: redis.path, prefix }),
      many: false,
    },
    engine: { kill: redis.kill, start: redis.start },
  };
}
