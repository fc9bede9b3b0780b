import { definePrompt } from '@cueline/core';
import { createPromptRoute } from '@cueline/edge';
import { createRedisLimits, createRedisRuns } from '@cueline/edge/redis';
import { createClient } from 'redis';
import * as z from 'zod';

const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);

// #region stores
const client = await createClient({ url: 'redis://localhost:6379' })
  // a connection that is lost is found again; without a listener its error would end the process
  .on('error', console.error)
  .connect();

const route = createPromptRoute(greet, {
  store: createRedisRuns(client),
  limitStore: createRedisLimits(client),
  model: 'openai:gpt-4o',
  origins: ['https://app.example'],
  auth: async (request) =>
    request.headers.get('authorization') === 'Bearer token' ? { subject: 'ada' } : null,
  limits: { dailyTokens: 200_000 },
});
// #endregion

export default { fetch: route };
