import { expect, onTestFinished, test } from 'vitest';
import { createRun, definePrompt, remotePrompt, type PromptDefinition } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore, inProcessDriver, type DurableOptions } from '@cueline/durable';
import * as z from 'zod';
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

test.each(['this', 'another'])(
  'a stop in %s process ends the step under way: no tool begins after it',
  async (where) => {
    const effects = createEffects();
    const prompt = definePrompt(
      'slow',
      (letter) => {
        letter.$`Send it.`;
        letter.defTool('send', 'Send', z.object({}), () => effects.note('send'), { effect: 'external' });
      },
      {
        model: scriptedModel([
          [{ text: 'I send' }, { delay: 3_000 }, { toolCall: { name: 'send', input: {} } }],
        ]),
      },
    );
    const store = createMemoryStore();
    const here = createDurable({ prompts: [prompt], store });
    const worker = await here.work();
    onTestFinished(() => worker.stop());
    const run = createRun(prompt, { executor: here.executor });
    const seen = run.start().catch(() => {});
    await expect.poll(() => run.log().some(({ type }) => type === 'text-delta')).toBe(true);
    const { runId } = run.getState();
    const stopper = where === 'this' ? here : createDurable({ prompts: [prompt], store });
    expect(await stopper.respond(runId, { type: 'stop' })).toEqual({ accepted: true });
    await seen;
    expect(run.getState().status).toBe('stopped');
    const stored = (await here.read(runId, -1))?.events ?? [];
    expect(stored.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(effects.noted).toEqual([]);
  },
);

test('a store that has lost events has the step done again from what it has', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects);
  let refuses = 1;
  const forgetful: typeof store = {
    ...store,
    async append(runId, epoch, events) {
      if (events.some(({ type }) => type === 'step-end') && refuses-- > 0) return false;
      return store.append(runId, epoch, events);
    },
  };
  const errors: unknown[] = [];
  const driver = inProcessDriver({ onError: (error) => void errors.push(error) });
  const durable = createDurable({ prompts: [prompt], store: forgetful, driver });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  const run = createRun(prompt, { executor: durable.executor });
  expect(await run.start({ book: 'Emma' })).toBe('Written.');
  expect(errors).toMatchObject([{ code: 'storage_failed' }]);
});

test('a limit of Infinity is none, in each process', async () => {
  const prompt = writePages(createEffects());
  const durable = createDurable({
    prompts: [prompt],
    store: createMemoryStore(),
    options: { limits: { steps: 2 } },
  });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  const run = createRun(prompt, { executor: durable.executor, options: { limits: { steps: Infinity } } });
  expect(await run.start({ book: 'Emma' })).toBe('Written.');
});

test('work that cannot begin, because the store is away, leaves no worker behind', async () => {
  const store = createMemoryStore();
  let stopped = 0;
  const durable = createDurable({
    prompts: [],
    store: { ...store, unfinished: () => Promise.reject(new Error('The store is away.')) },
    driver: { wake: async () => {}, work: () => ({ stop: async () => void (stopped += 1) }) },
  });
  await expect(durable.work()).rejects.toThrow('The store is away.');
  expect(stopped).toBe(1);
});
