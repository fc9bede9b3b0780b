import { createDurable } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createNodeRedisClient, Queue, Worker } from 'bullmq';
import { createClient } from 'redis';
import { startRedis } from '../edge/redis.ts';
import { openMemory, options, prompts, type Setup } from './setups.ts';

/** Sets up BullMQ, with its Redis on this machine and the worker in this process. Undefined if there is no Redis. */
export async function bullmqSetup(): Promise<Setup | undefined> {
  const redis = await startRedis();
  if (redis === undefined) {
    console.log('Left out: BullMQ, because there is no redis-server on the PATH.');
    return undefined;
  }
  const client = createClient({ socket: { path: redis.path, reconnectStrategy: 50 } }).on(
    'error',
    console.error,
  );
  client.setMaxListeners(0);
  await client.connect();
  const { store } = await openMemory();
  const driver = bullmqDriver({ connection: client });
  const durable = createDurable({ prompts: Object.values(prompts), store, driver, options });
  const worker = await durable.work();

  const connection = createNodeRedisClient(client);
  const bare = new Queue<{ left: number }>('bare', { connection });
  let ended = (): void => {};
  /** A job adds the next one, as the driver's do. */
  const bareWorker = new Worker<{ left: number }>(
    'bare',
    async ({ data: { left } }) => {
      if (left === 1) ended();
      else await bare.add('step', { left: left - 1 }, { removeOnComplete: true });
    },
    { connection },
  );

  return {
    name: 'durable, BullMQ, memory',
    durable,
    bare: {
      name: 'BullMQ alone: a job after the other',
      async run(steps) {
        const end = new Promise<void>((resolve) => (ended = resolve));
        await bare.add('step', { left: steps }, { removeOnComplete: true });
        await end;
      },
    },
    async close() {
      await worker.stop();
      await bareWorker.close();
      await bare.close();
      client.destroy();
      redis[Symbol.dispose]();
    },
  };
}
