import { createRun, definePrompt, remotePrompt, viaRoute } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createKillSwitch, createPromptRoute } from '@cueline/edge';
import * as z from 'zod';

const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);

// #region bill
const killSwitch = createKillSwitch();
const route = createPromptRoute(greet, {
  model: scriptedModel(['Hello Ada!'], { provider: 'openai', modelId: 'gpt-4o' }), // on a real server: 'openai:gpt-4o'
  origins: ['https://app.example'],
  auth: async (request) =>
    request.headers.get('authorization') === 'Bearer token' ? { subject: 'ada' } : null,
  // dollars for a million tokens, so the limits of money are in dollars, too
  prices: { 'openai:gpt-4o': { input: 2.5, cachedInput: 1.25, output: 10 } },
  limits: { dailyTokens: 200_000, totalDailyTokens: 5_000_000, dailyCost: 1, totalDailyCost: 25 },
  killSwitch,
  onEvent(event) {
    if (event.type === 'model-call') console.log(event.model, event.basis, event.cost);
  },
});
// in an emergency
const stopEverything = (): void => killSwitch.turnOn({ stopRuns: true });
// #endregion

const start = (): Promise<unknown> => {
  const headers = { authorization: 'Bearer token' };
  return createRun(remotePrompt<typeof greet>('greet'), {
    executor: viaRoute('https://app.example/api/greet', { headers, fetch: route }),
  }).start({ name: 'Ada' });
};
console.log(await start());
// prints: openai:gpt-4o reported 0.0000375
// prints: Hello Ada!
stopEverything();
await start().catch((error: Error) => console.log(error.message));
// prints: This server makes no model calls at the moment. Try again later.
