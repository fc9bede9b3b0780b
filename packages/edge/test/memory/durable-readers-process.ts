// A process with a durable run of many small objects, which clients begin to read and then leave unread. Tells its
// parent how much memory they take, in MB.
import process from 'node:process';
import { definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore } from '@cueline/durable';
import { createPromptRoute } from '@cueline/edge';
import * as z from 'zod';

/** How many clients read, and what they took. */
export type UnreadRuns = { readers: number; taken: number };

const READERS = 8;
const metadata = Array.from({ length: 100_000 }, () => ({}));
const talk = definePrompt(
  'talk',
  (prompt) => {
    prompt.defTool('send', 'Sends', z.object({}), () => 'sent', { needsApproval: true });
    prompt.$`Talk.`;
  },
  { model: scriptedModel([[{ toolCall: { name: 'send', input: {} } }]]) },
);
const durable = createDurable({ prompts: [talk], store: createMemoryStore() });
const worker = await durable.work();
const route = createPromptRoute(talk, { durable, origins: [], auth: () => ({ subject: 'ada' }) });

function used(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi.' }], metadata };
const response = await route(
  new Request('https://example.test/api/talk', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'talk', messages: [message] }),
  }),
);
const decoder = new TextDecoder();
const reader = response.body!.getReader();
for (let text = ''; !text.includes('approval-request');) text += decoder.decode((await reader.read()).value);
await reader.cancel();
await worker.stop();
const url = `https://example.test/api/talk?run=${response.headers.get('x-cueline-run')}`;
const before = used();
const readers: ReadableStreamDefaultReader[] = [];
for (let count = 0; count < READERS; count += 1) {
  const next = (await route(new Request(url))).body!.getReader();
  await next.read();
  readers.push(next);
}
process.send?.({ readers: readers.length, taken: used() - before } satisfies UnreadRuns, () =>
  process.exit(),
);
