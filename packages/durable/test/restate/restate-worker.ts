// What the processes of the tests of Restate work with.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { join } from 'node:path';
import { createEndpointHandler } from '@restatedev/restate-sdk/node';
import { createClient } from 'redis';
import { createRedisStore } from '@cueline/durable/redis';
import { restateDriver } from '@cueline/durable/restate';
import type { OpenWorker } from '../support/driver-setup.ts';

export type RestateArgument = {
  /** Where the store's Redis listens. */
  path: string;
  prefix: string;
  ingress: string;
  /** Where each worker says at which port it serves. */
  folder: string;
};

export const openWorker: OpenWorker = async (argument) => {
  const { path, prefix, ingress, folder } = JSON.parse(argument) as RestateArgument;
  const client = createClient({ socket: { path, reconnectStrategy: 50 } });
  client.on('error', () => {});
  await client.connect();
  const driver = restateDriver({ ingress });
  const server = createServer(createEndpointHandler({ services: [driver.service], logger: () => {} }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The worker has no port.');
  writeFileSync(join(folder, String(address.port)), '');
  return { driver, store: createRedisStore(client, { prefix }) };
};
