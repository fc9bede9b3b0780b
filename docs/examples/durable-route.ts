import { definePrompt } from '@cueline/core';
import { createDurable, createMemoryStore } from '@cueline/durable';
import { createMemoryLimits, createPromptRoute, createRunGuard } from '@cueline/edge';

const planDay = definePrompt('planDay', (prompt) => prompt.$`Plan a day in Faro.`, {
  model: 'simulated:demo',
});

// #region route
const guard = createRunGuard({
  limits: { dailyTokens: 200_000, concurrent: 4, runMs: 15 * 60_000 },
  limitStore: createMemoryLimits(), // several processes need a shared one, such as createRedisLimits(client)
});
const durable = createDurable({ prompts: [planDay], store: createMemoryStore(), guard });
const worker = await durable.work();
const route = createPromptRoute(planDay, {
  durable,
  origins: ['https://play.example'],
  // yours: { subject } for a user who is signed in, or null
  auth: async (request) => sessionOf(request.headers.get('cookie')),
});
// #endregion

function sessionOf(cookie: string | null): { subject: string } | null {
  return cookie === null ? null : { subject: cookie };
}

const response = await route(
  new Request('https://play.example/api/plan', {
    method: 'POST',
    headers: { cookie: 'ada', 'content-type': 'application/json' },
    body: '{}',
  }),
);
const lines = (await response.text()).split('\n');
console.log(lines.some((line) => line.includes('"type":"run-end"')));
// prints: true
await worker.stop();
