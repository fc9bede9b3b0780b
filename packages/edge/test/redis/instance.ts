// One of several instances of a server: node instance.ts <path of Redis's socket>. For each line of its input, the options
// of a route as JSON, it serves another route, and prints its address.
import process from 'node:process';
import { createInterface } from 'node:readline';
import { definePrompt } from '@cueline/core';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { createPromptRoute, type PromptRoute } from '@cueline/edge';
import { createRedisLimits, createRedisRuns } from '@cueline/edge/redis';
import { createClient } from 'redis';
import { serve } from 'srvx/node';
import * as z from 'zod';
import { defineWork, planningModel } from '../../../core/test/support/killed-runs.ts';

const [path = ''] = process.argv.slice(2);

const client = createClient({ socket: { path, reconnectStrategy: 50 } });
client.on('error', () => {});
await client.connect();

const text = Array.from({ length: 60 }, (_, index) => `word ${index}, `);
const tells: ScriptedTurn = text.map((word) => ({ text: word, delay: 25 }));
const sends: ScriptedTurn = [{ toolCall: { name: 'send', input: { to: 'Bob' } } }];

const works: ScriptedTurn = [{ toolCall: { name: 'work', input: {} } }];
/** A call of 1,000 tokens. */
const spends: ScriptedTurn = [
  { text: 'Bought.', delay: 25 },
  { finish: { usage: { inputTokens: 700, outputTokens: 300 } } },
];

/** A plan of many calls, of which it asks for those that have no result yet. */
const planned = planningModel(() => crypto.randomUUID());

/** Every run goes the same way, in whichever instance. */
const model: ScriptedModel = {
  ...scriptedModel([]),
  doStream(call) {
    const messages = JSON.stringify(call.prompt);
    const isFirst = !messages.includes('tool-result');
    if (/"Work\."|helper-prompt/.test(messages)) return planned.doStream(call);
    if (messages.includes('Work hard') && isFirst) return scriptedModel([works]).doStream(call);
    const turn = messages.includes('Buy') ? spends : messages.includes('Send it') && isFirst ? sends : tells;
    return scriptedModel([turn]).doStream(call);
  },
};

const tell = definePrompt('tell', (prompt) => {
  prompt.$`Tell a long story.`;
});
const send = definePrompt('send', (prompt) => {
  prompt.defTool('send', 'Sends', z.object({ to: z.string() }), ({ to }) => `sent to ${to}`, {
    effect: 'external',
  });
  prompt.$`Send it.`;
});
const spend = definePrompt('spend', (prompt) => {
  prompt.$`Buy it.`;
});
const deaf = definePrompt('deaf', (prompt) => {
  // it listens to no signal, and ends once the test says so
  prompt.defTool('work', 'Works', z.object({}), async () => {
    const connection = client.duplicate();
    await connection.connect();
    await connection.blPop('work-done', 0);
    connection.destroy();
  });
  prompt.$`Work hard.`;
});
const tasks = definePrompt('tasks', (prompt) => {
  prompt.defTaskList([
    { task: 'Check the order', validation: () => 'Never good enough.' },
    { task: 'Say thanks' },
  ]);
  prompt.$`Go.`;
});

const work = definePrompt(
  'work',
  (prompt, { name }) => {
    defineWork(prompt, async (what, _context, writes) => {
      const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      await pause();
      if (writes) await client.hIncrBy(`written:${name}`, what, 1);
      await pause();
      return `did ${what}`;
    });
  },
  { input: z.object({ name: z.string() }) },
);

const routes: PromptRoute[] = [];
const server = serve({
  fetch: (request) => routes[Number(new URL(request.url).pathname.slice(1))]!(request),
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
});
await server.ready();

const lines = createInterface(process.stdin);
lines.on('line', (options) => {
  const count = routes.push(
    createPromptRoute([tell, send, spend, deaf, tasks, work], {
      model,
      prices: { [model.modelId]: { input: 1, output: 1 } },
      options: { approval: true },
      origins: ['https://app.example'],
      auth: async ({ headers }) => {
        const subject = headers.get('authorization')?.replace('Bearer ', '');
        return subject === undefined ? null : { subject };
      },
      store: createRedisRuns(client),
      limitStore: createRedisLimits(client),
      ...(JSON.parse(options) as object),
    }),
  );
  process.stdout.write(`${new URL(`/${count - 1}`, server.url).href}\n`);
});
// ends with the process that started it
lines.on('close', () => process.exit());
