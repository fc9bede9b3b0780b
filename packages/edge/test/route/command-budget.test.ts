import { setTimeout } from 'node:timers/promises';
import { definePrompt, type EditReply, type PromptDefinition, type TaskEdit } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createMemoryStore } from '@cueline/durable';
import { expect, test } from 'vitest';
import { createServer } from './durable-server.ts';
import { endless, post, testRoute } from './routes.ts';

/** A prompt whose first run never ends. */
function createChores(): PromptDefinition {
  return definePrompt(
    'chores',
    (prompt) => {
      prompt.defTaskList([{ task: 'Sweep' }]);
      prompt.$`Do them.`;
    },
    { model: scriptedModel([endless]) },
  );
}

type Fetch = (request: Request) => Promise<Response>;

async function startOf(fetch: Fetch): Promise<string> {
  const response = await fetch(post({}));
  expect(response.status).toBe(200);
  return response.headers.get('x-cueline-run') ?? '';
}

/** Adds tasks with long titles until the run takes no more. Returns how many it took, and the last reply. */
async function addMany(fetch: Fetch, runId: string): Promise<{ taken: number; reply: EditReply }> {
  const send = async (edit: TaskEdit): Promise<EditReply> => {
    const url = `/answers?run=${runId}`;
    return (await (await fetch(post({ type: 'edit', edit }, url))).json()) as EditReply;
  };
  await expect.poll(() => send({ type: 'add', title: 'Dust' })).toMatchObject({ accepted: true });
  for (let taken = 0; ; taken += 1) {
    const reply = await send({ type: 'add', title: `${taken} ${'y'.repeat(510_000)}` });
    if (!reply.accepted || taken === 20) return { taken, reply };
  }
}

const refused = {
  taken: 8,
  reply: {
    accepted: false,
    reason:
      'This run has taken 4194304 bytes of commands, and takes no more. Send less, or start another run.',
  },
};

test('a run takes 4 MiB of commands, and the runs of others begin', async () => {
  const { fetch } = testRoute([endless], { definition: createChores(), limits: { requests: 1_000 } });
  const runId = await startOf(fetch());
  expect(await addMany(fetch(), runId)).toEqual(refused);
  expect((await fetch('bob')(post({}))).status).toBe(200);
});

test('a run takes eight of the largest commands', async () => {
  const limits = { requests: 1_000, commandBytes: 600_000 };
  const { fetch } = testRoute([endless], { definition: createChores(), limits });
  expect(await addMany(fetch(), await startOf(fetch()))).toMatchObject({ taken: 9 });
});

test('a durable run takes 4 MiB of commands', async () => {
  const server = createServer({ prompt: createChores() }, createMemoryStore());
  await server.work();
  const runId = await startOf(server.fetch());
  expect(await addMany(server.fetch(), runId)).toEqual(refused);
});

test('a process handles one command or new reader of a subject at a time, because each reads the whole log of its run', async () => {
  const site = { prompt: createChores() };
  const store = createMemoryStore();
  const worker = createServer(site, store);
  await worker.work();
  const runId = await startOf(worker.fetch());
  const counts = { now: 0, most: 0 };
  const { fetch } = createServer(site, {
    ...store,
    async read(id, afterSeq) {
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      await setTimeout(2);
      counts.now -= 1;
      return store.read(id, afterSeq);
    },
  });
  const send = async (): Promise<unknown> => {
    const edit: TaskEdit = { type: 'add', title: 'Dust' };
    return (await fetch()(post({ type: 'edit', edit }, `/answers?run=${runId}`))).json();
  };
  await expect.poll(send).toEqual({ accepted: true });
  const request = (): Request => new Request(`https://example.test/answers?run=${runId}`);
  const reads = Array.from({ length: 4 }, async () => (await fetch()(request())).body!.getReader().read());
  const replies = await Promise.all(Array.from({ length: 10 }, send));
  expect(replies).toEqual(Array.from({ length: 10 }, () => ({ accepted: true })));
  await Promise.all(reads);
  expect(counts.most).toBe(1);
});
