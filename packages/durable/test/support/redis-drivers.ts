import { inProcessDriver } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import type { TestClient, TestRedis } from '../../../edge/test/redis/server.ts';
import { LOCK_MS, type BullmqArgument } from './bullmq-worker.ts';
import type { DriverSetup, WorkerModule } from './driver-setup.ts';

/** Sets up tests of BullMQ, with their own queue and store. */
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
    // one Redis has the data of both
    outages: { 'the engine with the store': { kill: redis.kill, start: redis.start } },
  };
}

/** Sets up tests of inProcessDriver in processes of one machine. The tests can read the store meanwhile. */
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
