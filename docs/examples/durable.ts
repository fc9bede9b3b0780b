// #region start
import { createRun, definePrompt, tool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore } from '@cueline/durable';
import * as z from 'zod';

// plays the model in this example: it calls the tool, and then says `Sent.`
const model = scriptedModel([
  [{ toolCall: { name: 'sendMail', input: { to: 'ada@example.org' } } }],
  'Sent.',
]);

const sendMail = tool(
  'sendMail',
  'Send the mail',
  z.object({ to: z.string() }),
  async ({ to }, { idempotencyKey }) =>
    `sent to ${to} once, as ${idempotencyKey.split('/').slice(1).join('/')}`,
  { effect: 'external', needsApproval: true, idempotent: true },
);
export const writeMail = definePrompt('writeMail', (prompt) => prompt.$`Write to Ada.`, {
  model,
  tools: [sendMail],
});

const store = createMemoryStore();
const durable = createDurable({ prompts: [writeMail], store });
const worker = await durable.work();

const run = createRun(writeMail, { executor: durable.executor });
const result = run.start();
// #endregion
while (run.getState().status !== 'waiting') await new Promise((resolve) => setTimeout(resolve, 10));

// #region wait
await worker.stop(); // this process may end now: the store has the run
const [approval] = run.getState().approvals;
console.log(
  await durable.respond(run.getState().runId, {
    type: 'approval-response',
    approvalId: approval?.approvalId ?? '',
    response: { approved: true },
  }),
);

// another process, days later
const later = await createDurable({ prompts: [writeMail], store }).work();
console.log(await result);
// #endregion
console.log(run.getState().toolCalls[0]?.output);
await later.stop();
// prints: { accepted: true }
// prints: Sent.
// prints: sent to ada@example.org once, as 0/call-0-0
