import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { definePrompt } from '@cueline/core';
import type { Environment } from '@cueline/core/models';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import { Hono } from 'hono';
import { toNodeHandler } from 'srvx/node';
import * as z from 'zod';

const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);
const route = createPromptRoute(greet, {
  model: scriptedModel(['Hello Ada!', 'Hello Ada!', 'Hello Ada!']),
  origins: ['https://app.example'],
  auth: async (request) =>
    request.headers.get('authorization') === 'Bearer token' ? { subject: 'ada' } : null,
});

// #region next
// app/api/greet/route.ts
const handler = (request: Request): Promise<Response> => route(request);
export { handler as GET, handler as POST, handler as DELETE, handler as OPTIONS };
// #endregion

// #region hono
const app = new Hono<{ Bindings: Environment }>();
// on Workers also context.executionCtx, with which runs continue after the response; elsewhere reading it throws
app.all('/api/greet', (context) => route(context.req.raw, context.env));
// #endregion

// #region node
// srvx declares a listener for HTTP/1 or HTTP/2, and Node for HTTP/1
const listener = toNodeHandler(route) as RequestListener;
const server = createServer(listener);
// #endregion

server.listen(0);
await once(server, 'listening');
const { port } = server.address() as { port: number };

const question = (): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'greet', input: { name: 'Ada' } }),
});
for (const answer of [
  await handler(new Request('https://app.example/api/greet', question())),
  await app.request('https://app.example/api/greet', question()),
  await fetch(`http://localhost:${port}`, question()),
]) {
  console.log(answer.status, (await answer.text()).includes('"run-end"'));
}
server.close();
// prints: 200 true
