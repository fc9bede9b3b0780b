// A process of the bench between a page and a provider. Its arguments are its kind and the provider's address.
import process from 'node:process';
import { createModelProxy } from '@cueline/edge';
import { serve } from 'srvx/node';
import { answerBench } from './process.ts';
import { paces } from './provider-answers.ts';

const [kind, provider = ''] = process.argv.slice(2);

/** The minimum of a proxy: it forwards requests, without keys, limits or formats. */
async function passThrough(request: Request): Promise<Response> {
  // a streamed body needs `duplex`, which the DOM's types do not have yet
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-0123456789abcdef' },
    body: request.body,
    duplex: 'half',
    signal: request.signal,
  };
  const { body, status } = await fetch(`${provider}/chat/completions`, init);
  return new Response(body, { status, headers: { 'content-type': 'text/event-stream' } });
}

const proxy = createModelProxy({
  providers: {
    openai: { apiKey: 'sk-0123456789abcdef', baseURL: provider, models: Object.keys(paces) },
  },
  origins: ['https://play.example'],
  auth: (request) => ({ subject: request.headers.get('authorization') ?? '' }),
  // high limits, because counting is measured and not refusing
  limits: { rpm: 1e6, concurrent: 1e6, dailyTokens: 1e12 },
});

const server = serve({
  fetch: kind === 'proxy' ? (request: Request) => proxy(request) : passThrough,
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  gracefulShutdown: false,
  node: { keepAliveTimeout: 0 },
});
await server.ready();
answerBench(`${new URL(server.url!).origin}/api/models/openai`);
