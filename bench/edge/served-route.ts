// A process of the bench: a run behind HTTP, with a model that costs almost nothing. Its arguments: how the run is
// served, whether its model falls silent after a word ('quiet'), and where a Redis server is, for runs that are kept
// there.
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { createMemoryRuns, createPromptRoute, type RunLogStore } from '@cueline/edge';
import { createRedisRuns } from '@cueline/edge/redis';
import { streamText } from 'ai';
import { createClient } from 'redis';
import { serve } from 'srvx/node';
import { deltaModel, quietModel } from '../core/delta-model.ts';
import { answerBench } from './process.ts';
import { say, WORDS } from './say-prompt.ts';

const [kind, pace, redisPath] = process.argv.slice(2);
const model = pace === 'quiet' ? quietModel() : delayed(deltaModel(WORDS));

/**
 * The model, with a short latency, as every provider has one. Without it, a handler that awaits nothing else serves
 * one run after the other, and is compared with one that serves them all at once, which costs more for each event.
 */
function delayed(model: ReturnType<typeof deltaModel>): typeof model {
  return {
    ...model,
    async doStream(call) {
      await setTimeout(50);
      return model.doStream(call);
    },
  };
}

/** The code of an app without a route: the AI SDK's own response. */
async function bare(request: Request): Promise<Response> {
  await request.json();
  const result = streamText({ model, prompt: 'Say something.' });
  return result.toUIMessageStreamResponse();
}

async function openStore(): Promise<RunLogStore> {
  if (redisPath === undefined) return createMemoryRuns();
  const client = createClient({ socket: { path: redisPath, tls: false } });
  client.on('error', console.error);
  await client.connect();
  return createRedisRuns(client);
}

const route = createPromptRoute(say, {
  model,
  origins: ['https://play.example'],
  auth: (request) => ({ subject: request.headers.get('authorization') ?? '' }),
  limits: { rpm: 1e6, concurrent: 1e6, requests: 1e9, replayMs: 1_000 },
  store: await openStore(),
});
const server = serve({
  fetch: kind === 'bare' ? bare : (request: Request) => route(request),
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  gracefulShutdown: false,
});
await server.ready();
answerBench(`${new URL(server.url!).origin}/api/say`);
