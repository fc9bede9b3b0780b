// A process that serves a route, and is sent bodies of small objects, each with a different subject: what they take as
// objects is twenty times what they take as bytes. Its argument: how many. Tells its parent what came of it.
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';

/** What came of it. */
export type Attacked = {
  /** Answers by their status. */
  statuses: Record<string, number>;
  /** Refusals that do not say when to come back. */
  hopeless: number;
  /** Runs that ended by themselves. */
  done: number;
  /** The most that was in use, and what is at the end, in MB. */
  peak: number;
  left: number;
};

/** How many requests are on their way at once. */
const AT_ONCE = 24;
/** The number of open answers without a reader. */
const UNREAD = 100;

const encoder = new TextEncoder();
const objects = `[${Array.from({ length: 340_000 }, () => '{}').join(',')}]`;
const message = (more: string): string =>
  `{"id":"m","role":"user","parts":[{"type":"text","text":"Hi."}]${more}}`;
const answer = `{"id":"a","role":"assistant","parts":[{"type":"tool-look","toolCallId":"c","state":"output-available","input":{},"output":${objects}}]}`;
const bodies = [
  `{"prompt":"talk","messages":[${message(`,"metadata":${objects}`)}]}`,
  `{"prompt":"talk","messages":[${message('')},${answer}]}`,
  `{"prompt":"talk","tasks":[{"id":"t","title":"T","status":"pending","origin":"author","more":${objects}}]}`,
  `{"id":"chat","trigger":"submit-message","messages":[${message(`,"metadata":${objects}`)}]}`,
  `{"id":"chat","trigger":"submit-message","messages":[${message('')},${answer},${message('')}]}`,
].map((body) => encoder.encode(body));

let done = 0;
const route = createPromptRoute(
  definePrompt('talk', (prompt) => {
    prompt.$`Talk.`;
  }),
  {
    model: 'slow:model',
    models: {
      providers: { slow: () => scriptedModel([[{ text: 'Well' }, { delay: 250 }, { text: '.' }]]) },
    },
    origins: ['https://play.example'],
    auth: ({ headers }) => ({ subject: headers.get('authorization') ?? '' }),
    onEvent: (event) => (done += event.type === 'run-end' && event.outcome === 'done' ? 1 : 0),
  },
);

const attacked: Attacked = { statuses: {}, hopeless: 0, done: 0, peak: 0, left: 0 };
const unread: Response[] = [];
const count = Number(process.argv[2]);
let next = 0;

async function send(index: number): Promise<void> {
  const response = await route(
    new Request('https://example.test/api/talk', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: String(index) },
      body: bodies[index % bodies.length]!,
    }),
  );
  const { status, headers } = response;
  attacked.statuses[status] = (attacked.statuses[status] ?? 0) + 1;
  attacked.peak = Math.max(attacked.peak, process.memoryUsage().heapUsed / 1e6);
  if (status !== 200 && !headers.has('retry-after')) attacked.hopeless += 1;
  const way = Math.floor(index / bodies.length) % 3;
  if (status !== 200 || way === 0) await response.text();
  else if (way === 1) await response.body?.cancel();
  else if (unread.push(response) > UNREAD) await unread.shift()?.body?.cancel();
  // what is refused is tried again by others for a while, so that what goes on has time to end
  if (status !== 200) await setTimeout(20);
}

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < count) await send(next++);
  }),
);
// the last runs go on without their clients
for (let tries = 0; done < (attacked.statuses[200] ?? 0) && tries < 600; tries += 1) await setTimeout(50);
for (let time = 0; time < 4; time += 1) {
  globalThis.gc?.();
  await setTimeout(20);
}
process.send?.({ ...attacked, done, left: process.memoryUsage().heapUsed / 1e6 } satisfies Attacked, () =>
  process.exit(),
);
