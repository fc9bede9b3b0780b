// #region workers
import { createDurable } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import { createClient } from 'redis';
import { writeMail } from '../durable.ts';

const client = await createClient({ url: 'redis://localhost:6379' })
  // the client connects again by itself; without a listener, its error would end the process
  .on('error', console.error)
  .connect();

const durable = createDurable({
  prompts: [writeMail],
  store: createRedisStore(client),
  driver: bullmqDriver({ connection: client }),
});
const worker = await durable.work(); // only in processes that advance runs

process.once('SIGTERM', () => void worker.stop().then(() => client.destroy()));
// #endregion
