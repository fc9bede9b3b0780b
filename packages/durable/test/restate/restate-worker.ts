// Opens the driver and the store for the worker processes of the Restate tests.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { join } from 'node:path';
import { createRedisStore } from '@cueline/durable/redis';
import { restateDriver } from '@cueline/durable/restate';
import { createEndpointHandler } from '@restatedev/restate-sdk/node';
import { createClient } from 'redis';
import type { OpenWorker } from '../support/driver-setup.ts';

export type RestateArgument = {
  /** The socket of the store's Redis. */
  path: string;
  prefix: string;
  ingress: string;
  /** Each worker writes a file here, whose name is its port. */
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
