// A worker of durable runs with a guard, which a test kills.
// node durable-worker.ts <socket of Redis> <'hangs' or 'answers'>
import process from 'node:process';
import { definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable } from '@cueline/durable';
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
const durable = createDurable({
  prompts: [prompt],
  store: createRedisStore(client),
  guard: createRunGuard({
    limits: { dailyTokens: 1_000_000, maxOutputTokens: 5_000 },
    limitStore: createRedisLimits(client),
  }),
});
await durable.work();
// until it is killed
setInterval(() => {}, 1_000);
