import { definePrompt } from '@cueline/core';
import type { Environment } from '@cueline/core/models';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import { Hono } from 'hono';
import * as z from 'zod';

const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);
const route = createPromptRoute(greet, {
  model: scriptedModel(['Hello Ada!', 'Hello Ada!']),
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

const question = (): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'greet', input: { name: 'Ada' } }),
});
for (const answer of [
  await handler(new Request('https://app.example/api/greet', question())),
  await app.request('https://app.example/api/greet', question()),
]) {
  console.log(answer.status, (await answer.text()).includes('"run-end"'));
}
// prints: 200 true
