import { expect, test } from 'vitest';
import { createRun, remotePrompt, type PromptDefinition } from '@cueline/core';
import { createDurable, createMemoryStore, inProcessDriver, type DurableOptions } from '@cueline/durable';
import { planned, sendLetter, writePages, type Effects } from './support/prompts.ts';

function createEffects(): Effects & { noted: string[] } {
  const noted: string[] = [];
  return { noted, note: (what) => void noted.push(what) };
}

test('the same job delivered twice, at once or later: nothing happens twice', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects, { ms: 5 });
  const durable = createDurable({ prompts: [prompt], store });
  const start = { prompt: prompt.name, input: { book: 'Emma' } };
  await store.create({ runId: 'run-1', start });
  const { signal } = new AbortController();
  const job = async (): Promise<void> => {
    for (let status = 'next'; status === 'next';) ({ status } = await durable.advance('run-1', signal));
  };
  await job();
  await Promise.all([job(), job()]);
  expect(await durable.advance('run-1', signal)).toEqual({ status: 'done' });
  expect(await durable.advance('no such run', signal)).toEqual({ status: 'done' });
  expect(effects.noted.filter((each) => each.startsWith('write'))).toHaveLength(3);
});

test('a run whose process was killed before it woke a worker begins at a later sweep', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects);
  const durable = createDurable({ prompts: [prompt], store });
  const worker = await durable.work({ sweepMs: 10 });
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  await expect.poll(async () => (await store.read('run-1', -1))?.ended, { timeout: 10_000 }).toBe(true);
  await worker.stop();
  await store.create({ runId: 'run-2', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const never = await durable.work({ sweepMs: Infinity });
  await expect.poll(async () => (await store.read('run-2', -1))?.ended, { timeout: 10_000 }).toBe(true);
  await never.stop();
});

test('a worker whose run another worker has taken over stops and stores nothing more', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects);
  let writes = 0;
  let comeBack = (): void => {};
  const away = new Promise<void>((resolve) => (comeBack = resolve));
  // this worker is away in the middle of its first step
  const frozen: typeof store = {
    ...store,
    async append(...given) {
      if ((writes += 1) === 3) await away;
      return store.append(...given);
    },
  };
  const one = createDurable({ prompts: [prompt], store: frozen });
  const two = createDurable({ prompts: [prompt], store });
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const { signal } = new AbortController();
  const first = one.advance('run-1', signal);
  await expect.poll(() => writes).toBe(3);
  for (let status = 'next'; status === 'next';) ({ status } = await two.advance('run-1', signal));
  comeBack();
  expect(await first).toEqual({ status: 'done' });
  const { events = [] } = (await store.read('run-1', -1)) ?? {};
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
  expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  for (const page of [0, 1, 2]) {
    expect(effects.noted.filter((each) => each === `write Emma ${page}`).length).toBeLessThanOrEqual(1);
  }
});

test('a prompt that a deployment has removed ends its run with an error that says so', async () => {
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: 'gone' } });
  const durable = createDurable({ prompts: [], store });
  expect(await durable.advance('run-1', new AbortController().signal)).toEqual({ status: 'done' });
  const { events = [] } = (await store.read('run-1', -1)) ?? {};
  expect(events.at(-1)).toMatchObject({
    type: 'run-end',
    outcome: 'error',
    error: { message: expect.stringContaining('"gone" does not exist any more') },
  });
});

test('mistakes of a start are said before anything is stored', async () => {
  const store = createMemoryStore();
  const effects = createEffects();
  const prompt = sendLetter(effects);
  const nameless = { ...prompt, name: '' } as PromptDefinition<void>;
  expect(() => createDurable({ prompts: [nameless], store })).toThrow('has no name');
  expect(() => createDurable({ prompts: [prompt, prompt], store })).toThrow('Two prompts are named');
  expect(() => createDurable({ prompts: [remotePrompt('far')], store })).toThrow('is a remotePrompt');
  const durable = createDurable({ prompts: [prompt], store });
  const other = createRun(writePages(effects), { executor: durable.executor });
  await expect(other.start({ book: 'Emma' })).rejects.toThrow('not among those');
  const unnamed = createRun(prompt, { executor: durable.executor, model: planned(['x']) });
  await expect(unnamed.start()).rejects.toThrow("Name it, { model: 'openai:gpt-4o' }");
  expect(await store.unfinished()).toEqual([]);
});

test('a response whose sender failed to wake its run wakes it when it is sent again', async () => {
  const store = createMemoryStore();
  const prompt = sendLetter(createEffects());
  const inner = inProcessDriver();
  let away = false;
  const driver: typeof inner = {
    work: (advance) => inner.work(advance),
    async wake(runId) {
      if (away) throw new Error('The engine is away.');
      await inner.wake(runId);
    },
  };
  const durable = createDurable({ prompts: [prompt], store, driver });
  const worker = await durable.work();
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start();
  await expect.poll(() => run.getState().status).toBe('waiting');
  const [{ approvalId } = { approvalId: '' }] = run.getState().approvals;
  const command = { type: 'approval-response', approvalId, response: { approved: true } } as const;
  away = true;
  await expect(durable.respond(run.getState().runId, command)).rejects.toThrow('away');
  away = false;
  expect(await durable.respond(run.getState().runId, command)).toMatchObject({ accepted: false });
  expect(await result).toBe('Sent.');
  await worker.stop();
});

test('a log that is not whole is not continued, and the error says where it breaks off', async () => {
  const inner = createMemoryStore();
  const prompt = writePages(createEffects());
  const settings: DurableOptions = {
    prompts: [prompt],
    store: {
      ...inner,
      async claim(runId, afterSeq) {
        const claimed = await inner.claim(runId, afterSeq);
        if (typeof claimed !== 'object') return claimed;
        return { ...claimed, events: claimed.events.filter(({ seq }) => seq !== 3) };
      },
    },
  };
  const durable = createDurable(settings);
  await inner.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const { signal } = new AbortController();
  await durable.advance('run-1', signal);
  // another worker, which knows nothing of the run
  await expect(createDurable(settings).advance('run-1', signal)).rejects.toThrow(
    'Event 3 of run run-1 is missing',
  );
});
