import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
// Opens the driver and the store for the worker processes of the BullMQ tests.
import { createClient } from 'redis';
import type { OpenWorker } from './driver-setup.ts';

/** How long a killed worker keeps its jobs, in milliseconds. */
export const LOCK_MS = 1_000;

export type BullmqArgument = { path: string; queue: string; prefix: string; lockMs?: number };

export const openWorker: OpenWorker = async (argument) => {
  const { path, queue, prefix, lockMs = LOCK_MS } = JSON.parse(argument) as BullmqArgument;
  const client = createClient({ socket: { path, reconnectStrategy: 50 } });
  client.on('error', () => {});
  await client.connect();
  return {
    driver: bullmqDriver({ connection: client, queue, lockMs, onError: () => {} }),
    store: createRedisStore(client, { prefix }),
  };
};
