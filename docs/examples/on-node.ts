import { createRun, definePrompt, remotePrompt, viaRoute } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import { serve, type ServerRequest } from 'srvx';
import * as z from 'zod';

const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);

// #region serve
const route = createPromptRoute(greet, {
  model: scriptedModel(['Hello Ada!']), // on a real server: 'openai:gpt-4o', with the key that it has
  origins: ['https://app.example'],
  auth: async (request) =>
    request.headers.get('authorization') === 'Bearer token' ? { subject: 'ada' } : null,
  address: (request: ServerRequest) => request.ip ?? '',
});
const server = serve({ port: 0, hostname: 'localhost', silent: true, fetch: (request) => route(request) });
// #endregion
await server.ready();

const executor = viaRoute(`${server.url}api/greet`, { headers: { authorization: 'Bearer token' } });
console.log(await createRun(remotePrompt<typeof greet>('greet'), { executor }).start({ name: 'Ada' }));
await server.close(true);
// prints: Hello Ada!
