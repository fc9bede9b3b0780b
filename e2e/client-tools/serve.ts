// A server with the desk's prompt and its built page: node --conditions=@cueline/source serve.ts <folder of the page>
import process from 'node:process';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import { serve } from 'srvx';
import { staticMiddleware } from 'srvx/static';
import { desk } from './desk.ts';

type ModelCall = Parameters<ScriptedModel['doStream']>[0];

/** Calls the requested tool, and answers with its result. */
const model: ScriptedModel = {
  ...scriptedModel([]),
  doStream: (call) => scriptedModel([answer(call)]).doStream(call),
};

function answer({ prompt }: ModelCall): ScriptedTurn {
  const last = prompt.at(-1);
  if (last?.role === 'tool') return `The page said: ${JSON.stringify(last.content)}`;
  const said = JSON.stringify(last?.content);
  const id = `call-${Date.now().toString(36)}`;
  if (said.includes('room')) {
    return [{ toolCall: { id, name: 'pickRoom', input: { rooms: ['Garden room', 'Sea room', 'Attic'] } } }];
  }
  if (said.includes('deposit')) return [{ toolCall: { id, name: 'payDeposit', input: { euros: 40 } } }];
  return [{ toolCall: { id, name: 'confirm', input: {} } }];
}

const files = staticMiddleware({ dir: process.argv[2]! });
let origin = '';
const server = serve({
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  fetch: (request) =>
    new URL(request.url).pathname === '/api/desk'
      ? route(request)
      : files(request, () => new Response('There is no such file.', { status: 404 })),
});
await server.ready();
origin = `http://localhost:${new URL(server.url!).port}`;
const route = createPromptRoute(desk, {
  model,
  origins: [origin],
  auth: async () => ({ subject: 'guest' }),
});
console.log(origin);
