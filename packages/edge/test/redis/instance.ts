// One of several instances of a server: node instance.ts <path of Redis's socket> <limits as JSON>
import process from 'node:process';
import { definePrompt } from '@cueline/core';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import { createRedisLimits, createRedisRuns } from '@cueline/edge/redis';
import { createClient } from 'redis';
import { serve } from 'srvx/node';
import * as z from 'zod';

const [path = '', limits = '{}'] = process.argv.slice(2);
// ends with whoever started it
process.stdin.on('close', () => process.exit()).resume();

const client = createClient({ socket: { path, reconnectStrategy: 50 } });
client.on('error', () => {});
await client.connect();

const text = Array.from({ length: 60 }, (_, index) => `word ${index}, `);
const tells: ScriptedTurn = text.map((word) => ({ text: word, delay: 25 }));
const sends: ScriptedTurn = [{ toolCall: { name: 'send', input: { to: 'Bob' } } }];

/** Every run goes the same way, in whichever instance. */
const model: ScriptedModel = {
  ...scriptedModel([]),
  doStream(call) {
    const messages = JSON.stringify(call.prompt);
    const turn = messages.includes('Send it') && !messages.includes('tool-result') ? sends : tells;
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

const route = createPromptRoute([tell, send], {
  model,
  options: { approval: true },
  origins: ['https://app.example'],
  auth: async ({ headers }) => {
    const subject = headers.get('authorization')?.replace('Bearer ', '');
    return subject === undefined ? null : { subject };
  },
  store: createRedisRuns(client),
  limitStore: createRedisLimits(client),
  limits: JSON.parse(limits) as Record<string, number>,
});

const server = serve({ fetch: (request) => route(request), port: 0, hostname: '127.0.0.1', silent: true });
await server.ready();
process.stdout.write(`${server.url}\n`);
