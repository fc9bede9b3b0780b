// #region workers
import { createDurable } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import { createClient } from 'redis';
import { writeMail } from '../durable.ts';

const client = await createClient({ url: 'redis://localhost:6379' })
  // a connection that is lost is found again; without a listener its error would end the process
  .on('error', console.error)
  .connect();

const durable = createDurable({
  prompts: [writeMail],
  store: createRedisStore(client),
  driver: bullmqDriver({ connection: client }),
});
const worker = await durable.work(); // in each process that works; those that only start runs leave this out

process.once('SIGTERM', () => void worker.stop().then(() => client.destroy()));
// #endregion
