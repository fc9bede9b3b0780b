import { reduceAll, type RunEvent } from '@cueline/core';
import { createDurable, createMemoryStore } from '@cueline/durable';
// A run whose prompt this worker does not know, such as one of a newer or older version of the server.
import { expect, onTestFinished, test, vi } from 'vitest';
import { UNKNOWN_PROMPT_MS } from '../src/unknown-prompts.ts';
import { sendLetter, writePages, type Effects } from './support/prompts.ts';

const noEffects: Effects = { note: () => {} };

/** From here on, time passes only as the test says. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

async function lastEvent(store: ReturnType<typeof createMemoryStore>): Promise<RunEvent | undefined> {
  return (await store.read('run-1', -1))?.events.at(-1);
}

/** Starts a run that waits for an approval. `current` knows its prompt, and `old` does not. */
async function waitingRun() {
  stopClock();
  const prompt = sendLetter(noEffects);
  const store = createMemoryStore();
  const current = createDurable({ prompts: [prompt], store });
  const old = createDurable({ prompts: [], store });
  const { signal } = new AbortController();
  const { runId } = await current.begin({ definition: prompt, input: undefined });
  expect(await current.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  await expect(old.advance(runId, signal)).rejects.toThrow('does not know');
  return {
    runId,
    current,
    old,
    signal,
    /** Approves through the worker that does not know the prompt. */
    async approve() {
      const [approval] = reduceAll((await current.read(runId, -1))?.events ?? []).approvals;
      const command = { type: 'approval-response', approvalId: approval?.approvalId ?? '' } as const;
      await old.respond(runId, { ...command, response: { approved: true } });
    },
  };
}

test('a run whose prompt a deployment has removed ends after 24 hours, with an error that says so', async () => {
  stopClock();
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: 'gone' } });
  const durable = createDurable({ prompts: [], store });
  const { signal } = new AbortController();
  await expect(durable.advance('run-1', signal)).rejects.toThrow(
    /"gone", which this worker does not know\..* no progress for 24 hours \(unknownPromptMs\)/,
  );
  vi.advanceTimersByTime(UNKNOWN_PROMPT_MS - 1);
  await expect(durable.advance('run-1', signal)).rejects.toMatchObject({ code: 'invalid_definition' });
  expect(await store.read('run-1', -1)).toMatchObject({ events: [] });
  vi.advanceTimersByTime(1);
  expect(await durable.advance('run-1', signal)).toEqual({ status: 'done' });
  expect(await lastEvent(store)).toMatchObject({
    type: 'run-end',
    outcome: 'error',
    error: { message: expect.stringContaining('"gone" no longer exists') },
  });
});

test('a worker that does not know the prompt of a run does not take the run over from another worker', async () => {
  stopClock();
  const store = createMemoryStore();
  const prompt = writePages(noEffects);
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const [old, current] = [[], [prompt]].map((prompts) => createDurable({ prompts, store }));
  const { signal } = new AbortController();
  const fails = async (): Promise<void> => {
    await expect(old!.advance('run-1', signal)).rejects.toThrow('does not know');
  };
  await fails();
  const claimed = await store.claim('run-1', -1);
  await fails();
  // the worker that claimed the run can still store events
  expect(await store.append('run-1', (claimed as { epoch: number }).epoch, [])).toBe(true);
  // with each step of another worker, the time starts again
  for (let steps = 0; steps < 3; steps += 1) {
    vi.advanceTimersByTime(UNKNOWN_PROMPT_MS);
    expect(await current!.advance('run-1', signal)).toEqual({ status: 'next' });
    await fails();
  }
  expect(await current!.advance('run-1', signal)).toEqual({ status: 'done' });
  expect(await old!.advance('run-1', signal)).toEqual({ status: 'done' });
  expect(await lastEvent(store)).toMatchObject({ type: 'run-end', outcome: 'done' });
});

test('a run of an unknown prompt keeps waiting for its approval, and a worker that knows the prompt gets the response', async () => {
  const { runId, current, old, signal, approve } = await waitingRun();
  vi.advanceTimersByTime(UNKNOWN_PROMPT_MS);
  expect(await old.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  await approve();
  await expect(old.advance(runId, signal)).rejects.toThrow('does not know');
  while ((await current.advance(runId, signal)).status === 'next');
  expect(reduceAll((await current.read(runId, -1))?.events ?? [])).toMatchObject({
    status: 'done',
    result: 'Sent.',
  });
});

test('a worker that does not know the prompt leaves a response to others, even after days of waiting', async () => {
  const { runId, old, signal, approve } = await waitingRun();
  vi.advanceTimersByTime(2 * UNKNOWN_PROMPT_MS);
  await approve();
  await expect(old.advance(runId, signal)).rejects.toThrow('does not know');
});

test('an edit of a waiting run stays in the store until a worker that knows the prompt gets it', async () => {
  const prompt = sendLetter(noEffects);
  const store = createMemoryStore();
  const current = createDurable({ prompts: [prompt], store });
  const old = createDurable({ prompts: [], store, unknownPromptMs: 0 });
  const { signal } = new AbortController();
  const { runId } = await current.begin({ definition: prompt, input: undefined });
  expect(await current.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  const add = { type: 'edit', edit: { type: 'add', title: 'Greet' } } as const;
  expect(await old.respond(runId, add)).toEqual({ accepted: true });
  expect(await old.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  expect(await store.commands(runId)).toMatchObject([{ command: add }]);
  expect(await store.read(runId, -1)).toMatchObject({ ended: false });
  expect(await current.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  expect(await store.commands(runId)).toEqual([]);
  // a stop ends the run at once
  await old.respond(runId, { type: 'stop' });
  expect(await old.advance(runId, signal)).toEqual({ status: 'done' });
});

test('unknownPromptMs sets how long a run of an unknown prompt is left to other workers, and the error says it', async () => {
  stopClock();
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: 'gone' } });
  const { signal } = new AbortController();
  const [never, soon] = [Infinity, 60_000].map((unknownPromptMs) =>
    createDurable({ prompts: [], store, unknownPromptMs }),
  );
  await expect(never!.advance('run-1', signal)).rejects.toThrow(
    'It does not end by itself (unknownPromptMs).',
  );
  await expect(soon!.advance('run-1', signal)).rejects.toThrow(
    'If the run makes no progress for 1 minute (unknownPromptMs), it ends with an error.',
  );
  vi.advanceTimersByTime(1e15);
  await expect(never!.advance('run-1', signal)).rejects.toThrow('does not know');
  expect(await soon!.advance('run-1', signal)).toEqual({ status: 'done' });
});

test('a run of an unknown prompt can be stopped at once', async () => {
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: 'new' } });
  const durable = createDurable({ prompts: [], store });
  await durable.respond('run-1', { type: 'stop' });
  expect(await durable.advance('run-1', new AbortController().signal)).toEqual({ status: 'done' });
  expect(await lastEvent(store)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
});
