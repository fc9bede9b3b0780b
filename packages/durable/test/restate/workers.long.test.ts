import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createRedisStore } from '@cueline/durable/redis';
import { restateDriver } from '@cueline/durable/restate';
import { createEndpointHandler } from '@restatedev/restate-sdk/node';
import { afterAll, beforeAll, describe } from 'vitest';
import { ensureRestate, howToGetRestate } from '../../../../scripts/restate.mjs';
import { describeWithRedis, type TestClient } from '../../../edge/test/redis/server.ts';
import type { DriverSetup } from '../support/driver-setup.ts';
import { longDriverSuite } from '../support/driver-suite.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import type { RestateArgument } from './restate-worker.ts';
import { freePort, startRestate, type TestRestate } from './server.ts';

const program = ensureRestate();
if (program === undefined) {
  process.stderr.write(
    `Skipped without a Restate server: the tests of its workers. To run them, ${howToGetRestate}.\n`,
  );
}

describe.skipIf(program === undefined)('Restate with workers that are killed at every place', () => {
  describeWithRedis('with a store in Redis', (redis) => {
    const folder = mkdtempSync(join(tmpdir(), 'cueline-ports-'));
    const prefix = 'restate:';
    let client: TestClient;
    let restate: TestRestate;
    let balancer: Balancer;

    /** Registers the balancer's address with Restate. For the registration, this process serves there. */
    async function registerWorkers(): Promise<void> {
      const { service } = restateDriver({ ingress: restate.ingress });
      const port = await freePort();
      const server = createServer(createEndpointHandler({ services: [service], logger: () => {} }));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      writeFileSync(join(folder, String(port)), '');
      await restate.register(balancer.uri);
      rmSync(join(folder, String(port)));
      server.close();
    }

    beforeAll(async () => {
      client = await redis.connect();
      restate = await startRestate(program!);
      balancer = await startBalancer(folder);
      await registerWorkers();
    }, 120_000);
    afterAll(async () => {
      await restate.remove();
      balancer.close();
      rmSync(folder, { recursive: true, force: true });
    });

    longDriverSuite('Restate', {
      createDriver: () => restateDriver({ ingress: restate.ingress }),
      createStore: async () => createRedisStore(client, { prefix }),
      workers: {
        module: new URL('restate-worker.ts', import.meta.url),
        get argument() {
          const { ingress } = restate;
          return JSON.stringify({ path: redis.path, prefix, ingress, folder } satisfies RestateArgument);
        },
        many: true,
      },
      outages: {
        'the engine': { kill: () => restate.kill(), start: () => restate.start() },
        'the store': { kill: redis.kill, start: redis.start },
      },
    } satisfies DriverSetup);
  });
});
