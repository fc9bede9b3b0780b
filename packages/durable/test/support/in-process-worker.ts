import { inProcessDriver } from '@cueline/durable';
import { createRedisStore } from '@cueline/durable/redis';
// Opens the driver and the store for the processes of the inProcessDriver tests. The tests can read the store
// meanwhile.
import { createClient } from 'redis';
import type { OpenWorker } from './driver-setup.ts';

export const openWorker: OpenWorker = async (argument) => {
  const { path, prefix } = JSON.parse(argument) as { path: string; prefix: string };
  const client = createClient({ socket: { path, reconnectStrategy: 50 } });
  client.on('error', () => {});
  await client.connect();
  return { driver: inProcessDriver({ onError: () => {} }), store: createRedisStore(client, { prefix }) };
};
