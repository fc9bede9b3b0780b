// A process of the bench: a prompt route, whose model costs as good as nothing.
import { createPromptRoute } from '@cueline/edge';
import { serve } from 'srvx/node';
import { deltaModel } from '../core/delta-model.ts';
import { answerBench } from './process.ts';
import { say, WORDS } from './say.ts';

const route = createPromptRoute(say, {
  model: deltaModel(WORDS),
  origins: ['https://play.example'],
  auth: (request) => ({ subject: request.headers.get('authorization') ?? '' }),
  limits: { rpm: 1e6, concurrent: 1e6, replayMs: 1_000 },
});
const server = serve({
  fetch: (request: Request) => route(request),
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  gracefulShutdown: false,
});
await server.ready();
answerBench(`${new URL(server.url!).origin}/api/say`);
