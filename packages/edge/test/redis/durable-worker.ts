// A worker of durable runs with a guard, which a test kills.
// node durable-worker.ts <socket of Redis> <'hangs', 'answers', or 'dies' once it has stored the end of a run>
import process from 'node:process';
import { definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, type DurableStore } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import { createRunGuard } from '@cueline/edge';
import { createRedisLimits } from '@cueline/edge/redis';
import { createClient } from 'redis';

const [, , path = '', how = ''] = process.argv;
const client = await createClient({ socket: { path, tls: false } }).connect();
const answer =
  how === 'hangs'
    ? [{ text: 'Wait' }, { delay: 600_000 }]
    : ['Done.', { finish: { usage: { inputTokens: 900, outputTokens: 100 } } }];
const prompt = definePrompt('desk', (desk) => desk.$`Help.`, { model: scriptedModel([answer]) });
const store = createRedisStore(client);
const dying: DurableStore = {
  ...store,
  async append(runId, epoch, events) {
    const isStored = await store.append(runId, epoch, events);
    if (isStored && events.at(-1)?.type === 'run-end') process.kill(process.pid, 'SIGKILL');
    return isStored;
  },
};
const durable = createDurable({
  prompts: [prompt],
  store: how === 'dies' ? dying : store,
  driver: bullmqDriver({ connection: client, lockMs: 1_000 }),
  guard: createRunGuard({
    limits: { dailyTokens: 1_000_000, maxOutputTokens: 5_000, concurrent: 1 },
    limitStore: createRedisLimits(client),
  }),
});
await durable.work();
// until it is killed
setInterval(() => {}, 1_000);
