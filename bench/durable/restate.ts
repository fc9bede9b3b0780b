import { once } from 'node:events';
import { createServer } from 'node:http2';
import { createDurable } from '@cueline/durable';
import { restateDriver } from '@cueline/durable/restate';
import { createEndpointHandler, object, type ObjectContext } from '@restatedev/restate-sdk/node';
import { freePort, startRestate } from '../../packages/durable/test/restate/server.ts';
import { ensureRestate } from '../../scripts/restate.mjs';
import { openMemory, options, prompts, type Setup } from './setups.ts';

/** Sets up Restate, its server on this machine and the worker in this process. Undefined if there is no server. */
export async function restateSetup(): Promise<Setup | undefined> {
  const program = ensureRestate();
  if (program === undefined) {
    console.log('Left out: Restate, whose server could not be fetched.');
    return undefined;
  }
  const restate = await startRestate(program);
  const { store } = await openMemory();
  const driver = restateDriver({ ingress: restate.ingress });
  let ended = (): void => {};
  const bare = object({
    name: 'bare',
    handlers: {
      async steps(context: ObjectContext, steps: number): Promise<void> {
        for (let step = 0; step < steps; step += 1) await context.run('step', () => 'next');
        ended();
      },
    },
  });
  const handler = createEndpointHandler({ services: [driver.service, bare], logger: () => {} });
  const port = await freePort();
  const server = createServer(handler).listen(port, '127.0.0.1');
  await once(server, 'listening');
  await restate.register(`http://127.0.0.1:${port}`);
  const durable = createDurable({ prompts: Object.values(prompts), store, driver, options });
  const worker = await durable.work();
  return {
    name: 'durable, Restate, memory',
    durable,
    bare: {
      name: 'Restate alone: steps of one call',
      async run(steps) {
        const end = new Promise<void>((resolve) => (ended = resolve));
        const url = `${restate.ingress}/bare/${crypto.randomUUID()}/steps/send`;
        const headers = { 'content-type': 'application/json' };
        const { ok } = await fetch(url, { method: 'POST', headers, body: String(steps) });
        if (!ok) throw new Error('Restate has not accepted a call.');
        await end;
      },
    },
    async close() {
      await worker.stop();
      await restate.remove();
      server.close();
    },
  };
}
