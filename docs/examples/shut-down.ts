import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRun, definePrompt, remotePrompt, viaRoute } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import { serve } from 'srvx';
import * as z from 'zod';

const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);

// #region shut-down
const inProgress = new Set<Promise<void>>();
const route = createPromptRoute(greet, {
  model: scriptedModel([[{ text: 'Hello Ada!', delay: 200 }]]),
  origins: ['https://app.example'],
  auth: async (request) =>
    request.headers.get('authorization') === 'Bearer token' ? { subject: 'ada' } : null,
  waitUntil(run) {
    inProgress.add(run);
    void run.finally(() => inProgress.delete(run));
  },
});
// srvx would cut answers off after five seconds, and leave the process to the runs
const server = serve({ fetch: (request) => route(request), gracefulShutdown: false, silent: true });

async function shutDown(): Promise<void> {
  const answered = server.close(); // accepts no new requests; open ones continue
  // a bit less than your platform waits before it kills
  await Promise.race([Promise.all([answered, ...inProgress]), sleep(25_000)]);
  process.exit();
}
process.once('SIGTERM', () => void shutDown());
// #endregion
await server.ready();

const executor = viaRoute(`${server.url}api/greet`, { headers: { authorization: 'Bearer token' } });
const answer = createRun(remotePrompt<typeof greet>('greet'), { executor }).start({ name: 'Ada' });
while (inProgress.size === 0) await sleep(10);
process.kill(process.pid, 'SIGTERM');
console.log(await answer);
// prints: Hello Ada!
