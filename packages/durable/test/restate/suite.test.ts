import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import process from 'node:process';
import { createRun } from '@cueline/core';
import { createMemoryStore } from '@cueline/durable';
import { restateDriver, type RestateDriver } from '@cueline/durable/restate';
import { createEndpointHandler } from '@restatedev/restate-sdk/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRestate, howToGetRestate } from '../../../../scripts/restate.mjs';
import { createEffects, workHere } from '../support/driver-contract.ts';
import type { DriverSetup } from '../support/driver-setup.ts';
import { driverSuite } from '../support/driver-suite.ts';
import { sendLetter } from '../support/prompts.ts';
import { freePort, startRestate, type TestRestate } from './server.ts';

const program = findRestate();
if (program === undefined) {
  process.stderr.write(
    `Skipped without a Restate server: the suite of its driver. To run it, ${howToGetRestate}.\n`,
  );
}

describe.skipIf(program === undefined)('Restate', () => {
  let restate: TestRestate;
  let server: Http2Server;
  /** The driver that works now. One address serves the drivers of all tests, one after the other. */
  let serving: RestateDriver | undefined;
  const store = createMemoryStore();

  beforeAll(async () => {
    restate = await startRestate(program!);
    const port = await freePort();
    const first = restateDriver({ ingress: restate.ingress });
    server = createServer((request, response) => {
      const { service } = serving ?? first;
      createEndpointHandler({ services: [service], logger: () => {} })(request, response);
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    await restate.register(`http://127.0.0.1:${port}`);
  }, 120_000);
  afterAll(async () => {
    await restate.remove();
    server.close();
  });

  const setup: DriverSetup = {
    createDriver(options = {}) {
      const { graceMs = 10_000, onError = (): void => {} } = options;
      const driver = restateDriver({ ingress: restate.ingress, graceMs, onError });
      return {
        wake: (runId) => driver.wake(runId),
        work(advance) {
          serving = driver;
          return driver.work(advance);
        },
      };
    },
    createStore: async () => store,
  };
  driverSuite('Restate', setup);

  test('Restate has no call of a run that waits for its approval', async () => {
    const prompt = sendLetter(createEffects());
    const { durable } = await workHere([prompt], setup.createDriver(), store);
    const run = createRun(prompt, { executor: durable.executor });
    const result = run.start();
    await expect.poll(() => run.getState().approvals).toHaveLength(1);
    await expect.poll(restate.calls, { timeout: 30_000 }).toBe(0);
    await run.respondToApproval(run.getState().approvals[0]!.approvalId, { approved: true });
    expect(await result).toBe('Sent.');
  });
});
