import { expect, test } from 'vitest';
import { createRun, type PromptDefinition } from '@cueline/core';
import { defineSession } from '@cueline/core/agents';
import { createDurable, createMemoryStore, inProcessDriver } from '@cueline/durable';
import { planned, sendLetter, writePages, type Effects } from './support/prompts.ts';

function createEffects(): Effects & { noted: string[] } {
  const noted: string[] = [];
  return { noted, note: (what) => void noted.push(what) };
}

test('a run is started and followed as anywhere else, and its steps are stored', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects);
  const durable = createDurable({ prompts: [prompt], store });
  const worker = await durable.work();
  const run = createRun(prompt, { executor: durable.executor });
  await run.start({ book: 'Emma' });
  expect(run.getState()).toMatchObject({ status: 'done', result: 'Written.' });
  expect(effects.noted.filter((each) => each.startsWith('write'))).toEqual([
    'write Emma 0',
    'write Emma 1',
    'write Emma 2',
  ]);
  expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_event, index) => index));
  expect(await store.unfinished()).toEqual([]);
  await worker.stop();
});

test('a run waits for its approval without a worker, and a worker that comes later continues it', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = sendLetter(effects);
  const first = createDurable({ prompts: [prompt], store });
  const worker = await first.work();
  const run = createRun(prompt, { executor: first.executor });
  const result = run.start();
  await expect.poll(() => run.getState().status).toBe('waiting');
  await worker.stop();

  const [{ approvalId } = { approvalId: '' }] = run.getState().approvals;
  expect(await run.respondToApproval(approvalId, { approved: true })).toEqual({ accepted: true });
  expect(await run.respondToApproval(approvalId, { approved: false })).toMatchObject({ accepted: false });
  expect(await run.respondToApproval('other', { approved: true })).toMatchObject({ accepted: false });
  expect(effects.noted).toEqual([]);

  const second = createDurable({ prompts: [prompt], store });
  const later = await second.work();
  expect(await result).toBe('Sent.');
  expect(effects.noted).toEqual(['send Ada']);
  const { runId } = run.getState();
  expect(
    await second.respond(runId, { type: 'approval-response', approvalId, response: { approved: true } }),
  ).toEqual({ accepted: false, reason: 'The run has ended, so nothing waits for a response.' });
  await later.stop();
});

test('a run that waits takes no place of the runs that work', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const [letter, pages] = [sendLetter(effects), writePages(effects)];
  const driver = inProcessDriver({ concurrency: 1 });
  const durable = createDurable({ prompts: [letter, pages], store, driver });
  const worker = await durable.work();
  const waiting = createRun(letter, { executor: durable.executor });
  void waiting.start().catch(() => {});
  await expect.poll(() => waiting.getState().status).toBe('waiting');
  const run = createRun(pages, { executor: durable.executor });
  expect(await run.start({ book: 'Emma' })).toBe('Written.');
  waiting.stop();
  await expect.poll(() => waiting.getState().status).toBe('stopped');
  await worker.stop();
});

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

test('a store that is away for a moment delays a run, and nothing is lost', async () => {
  const effects = createEffects();
  const inner = createMemoryStore();
  let away = false;
  const store = {
    ...inner,
    append: async (...given: Parameters<typeof inner.append>) => {
      if (away) throw new Error('The store is away.');
      return inner.append(...given);
    },
  };
  const errors: unknown[] = [];
  const prompt = writePages(effects, { ms: 10 });
  const driver = inProcessDriver({ onError: (error) => errors.push(error) });
  const durable = createDurable({ prompts: [prompt], store, driver });
  const worker = await durable.work();
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start({ book: 'Emma' });
  await expect.poll(() => run.log().length).toBeGreaterThan(3);
  away = true;
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  away = false;
  expect(await result).toBe('Written.');
  for (const page of [0, 1, 2]) {
    expect(effects.noted.filter((each) => each === `write Emma ${page}`).length).toBeLessThanOrEqual(1);
  }
  await worker.stop();
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
  const session = defineSession('research', { systemPrompt: 'You search.' });
  expect(() => createDurable({ prompts: [session], store })).toThrow('is a session or an agent call');
  const durable = createDurable({ prompts: [prompt], store });
  const other = createRun(writePages(effects), { executor: durable.executor });
  await expect(other.start({ book: 'Emma' })).rejects.toThrow('not among those');
  const unnamed = createRun(prompt, { executor: durable.executor, model: planned(['x']) });
  await expect(unnamed.start()).rejects.toThrow("Name it, { model: 'openai:gpt-4o' }");
  expect(await store.unfinished()).toEqual([]);
});

test('a stop lets the step under way end, so that no write is interrupted', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects, { ms: 60 });
  const first = createDurable({ prompts: [prompt], store });
  const worker = await first.work();
  const run = createRun(prompt, { executor: first.executor });
  const result = run.start({ book: 'Emma' });
  await expect.poll(() => effects.noted).toContain('write Emma 0');
  await worker.stop();
  const second = createDurable({ prompts: [prompt], store });
  const later = await second.work();
  expect(await result).toBe('Written.');
  expect(run.getState().toolCalls.map(({ state }) => state)).toEqual(Array(6).fill('output-available'));
  await later.stop();
});

test('a step that takes longer than the grace is aborted, and continued by another worker', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const errors: unknown[] = [];
  const prompt = writePages(effects, { ms: 300 });
  const driver = inProcessDriver({ graceMs: 20, onError: (error) => errors.push(error) });
  const first = createDurable({ prompts: [prompt], store, driver });
  const worker = await first.work();
  const run = createRun(prompt, { executor: first.executor });
  const result = run.start({ book: 'Emma' });
  await expect.poll(() => effects.noted).toContain('write Emma 0');
  await worker.stop();
  expect(errors).toEqual([]);
  const later = await createDurable({ prompts: [prompt], store }).work();
  expect(await result).toBe('Written.');
  expect(run.getState().toolCalls[0]).toMatchObject({
    state: 'output-error',
    errorText: expect.stringContaining('interrupted'),
  });
  expect(effects.noted.filter((each) => each === 'write Emma 0')).toHaveLength(1);
  await later.stop();
});

test('a log that is not whole is not continued, and the error says where it breaks off', async () => {
  const inner = createMemoryStore();
  const prompt = writePages(createEffects());
  const durable = createDurable({
    prompts: [prompt],
    store: {
      ...inner,
      async claim(runId) {
        const claimed = await inner.claim(runId);
        if (typeof claimed !== 'object') return claimed;
        return { ...claimed, events: claimed.events.filter(({ seq }) => seq !== 3) };
      },
    },
  });
  await inner.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const { signal } = new AbortController();
  await durable.advance('run-1', signal);
  await expect(durable.advance('run-1', signal)).rejects.toThrow('Event 3 of run run-1 is missing');
});
