import { inProcessDriver } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import type { TestClient, TestRedis } from '../../../edge/test/redis/server.ts';
import { LOCK_MS, type BullmqArgument } from './bullmq-worker.ts';
import type { DriverSetup, WorkerModule } from './driver-setup.ts';

/** Runs over BullMQ, in a queue and a store of their own. */
export function bullmqSetup(
  redis: TestRedis,
  client: () => TestClient,
  queue: string,
  lockMs = LOCK_MS,
): DriverSetup & { workers: WorkerModule } {
  const prefix = `${queue}:`;
  return {
    createDriver: (options) =>
      bullmqDriver({ connection: client(), queue, lockMs, onError: () => {}, ...options }),
    createStore: async () => createRedisStore(client(), { prefix }),
    workers: {
      module: new URL('bullmq-worker.ts', import.meta.url),
      argument: JSON.stringify({ path: redis.path, queue, prefix, lockMs } satisfies BullmqArgument),
      many: true,
    },
    // its data is in the same Redis
    outages: { 'the engine, and with it the store,': { kill: redis.kill, start: redis.start } },
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
    outages: { 'the store': { kill: redis.kill, start: redis.start } },
  };
}
