import { createRun, definePrompt, remotePrompt, viaRoute } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import * as z from 'zod';

// #region route
const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);

const model = scriptedModel(['Hello Ada!']); // on a real server: 'openai:gpt-4o', with the key that it has
const route = createPromptRoute(greet, {
  model,
  origins: ['https://app.example'],
  auth: async (request) =>
    request.headers.get('authorization') === 'Bearer token' ? { subject: 'ada' } : null,
  limits: { runMs: 120_000, concurrent: 2 },
});
// #endregion

// #region client
const executor = viaRoute('https://app.example/api/greet', {
  headers: { authorization: 'Bearer token' },
  fetch: route, // a test answers by itself; leave it out to ask the network
});
const run = createRun(remotePrompt<typeof greet>('greet'), { executor });
console.log(await run.start({ name: 'Ada' }));
// #endregion
// prints: Hello Ada!
