import { createRun, definePrompt, inProcess, remotePrompt, viaRoute } from '@cueline/core';
import { toEventStream } from '@cueline/core/server';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);

// #region server
const model = scriptedModel(['Hello Ada!']); // on a real server: 'openai:gpt-4o', with the key that it has
const server = inProcess();

async function route(request: Request): Promise<Response> {
  const { input } = (await request.json()) as { input: { name: string } };
  const events = server.start({ definition: greet, input, model }, new AbortController().signal);
  return new Response(toEventStream(events), { headers: { 'content-type': 'text/event-stream' } });
}
// #endregion

// #region client
const executor = viaRoute('https://example.com/api/greet', {
  headers: () => ({ authorization: 'Bearer token' }), // asked for before each request
  fetch: route, // a test answers by itself; leave it out to ask the network
});
const run = createRun(remotePrompt<typeof greet>('greet'), { executor });
console.log(await run.start({ name: 'Ada' }));
// #endregion
// prints: Hello Ada!
