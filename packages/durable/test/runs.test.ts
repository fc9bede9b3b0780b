import {
  createRun,
  definePrompt,
  reduceAll,
  remotePrompt,
  type PromptDefinition,
  type RunEvent,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore, inProcessDriver, type DurableOptions } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import { restateDriver } from '@cueline/durable/restate';
import { createSqlStore } from '@cueline/durable/sql';
import { expect, onTestFinished, test } from 'vitest';
import { createEffects, workHere } from './support/driver-contract.ts';
import { planned, sendLetter, writePages } from './support/prompts.ts';

test('a job for a run that has ended, or that does not exist, does nothing', async () => {
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
  let resume = (): void => {};
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  // this worker hangs in the middle of its first step
  const frozen: typeof store = {
    ...store,
    async append(...given) {
      if ((writes += 1) === 3) await resumed;
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
  resume();
  expect(await first).toEqual({ status: 'done' });
  const { events = [] } = (await store.read('run-1', -1)) ?? {};
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
  expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  for (const page of [0, 1, 2]) {
    expect(effects.noted.filter((each) => each === `write Emma ${page}`).length).toBeLessThanOrEqual(1);
  }
});

test('ids, keys, subjects and chats that Postgres cannot store are refused, and nothing is stored', async () => {
  const prompt = sendLetter(createEffects());
  const store = createMemoryStore();
  const durable = createDurable({ prompts: [prompt], store });
  const request = { definition: prompt, input: undefined };
  const { signal } = new AbortController();
  for (const text of ['nul \0', 'half \ud800']) {
    for (const call of [
      () => durable.begin({ ...request, key: text }),
      () => durable.begin(request, { subject: text }),
      () => durable.begin(request, { subject: 'ada', chat: text }),
      () => durable.begin(request, undefined, text),
      () => durable.find({ runId: text }),
      () => durable.find({ key: text }),
      () => durable.find({ subject: 'ada', chat: text }),
      () => durable.read(text, -1),
      () => durable.wake(text),
      () => durable.respond(text, { type: 'stop' }),
      () => durable.advance(text, signal),
      async () => durable.watch(text, -1, signal),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'invalid_input' });
    }
  }
  expect(await store.unfinished()).toEqual([]);
});

test('mistakes in createDurable, in a driver and in a start are reported, and nothing is stored', async () => {
  const store = createMemoryStore();
  const effects = createEffects();
  const prompt = sendLetter(effects);
  const nameless = { ...prompt, name: '' } as PromptDefinition<void>;
  expect(() => createDurable({ prompts: [nameless], store })).toThrow('has no name');
  expect(() => createDurable({ prompts: [prompt, prompt], store })).toThrow('Two prompts are named');
  expect(() => createDurable({ prompts: [remotePrompt('far')], store })).toThrow('is a remotePrompt');
  // in JavaScript, a guard that is misspelt would otherwise guard nothing
  const misspelt = (more: object) => () => createDurable({ prompts: [prompt], store, ...more });
  expect(misspelt({ guards: {} })).toThrow('createDurable has no "guards". Did you mean guard?');
  expect(misspelt({ limits: { steps: 1 } })).toThrow(
    'Those of a run are in its options: { options: { limits } }',
  );
  expect(() => inProcessDriver({ concurency: 1 } as never)).toThrow(
    'inProcessDriver has no "concurency". Did you mean concurrency?',
  );
  expect(() => bullmqDriver({ connection: {}, lock: 1 } as never)).toThrow('bullmqDriver has no "lock".');
  expect(() => restateDriver({ ingres: 'http://localhost' } as never)).toThrow('Did you mean ingress?');
  expect(() => createRedisStore({} as never, { prefx: '' } as never)).toThrow('Did you mean prefix?');
  const durable = createDurable({ prompts: [prompt], store });
  await expect(durable.work({ sweep: 1 } as never)).rejects.toThrow('durable.work has no "sweep".');
  const other = createRun(writePages(effects), { executor: durable.executor });
  await expect(other.start({ book: 'Emma' })).rejects.toThrow(
    'is not listed in createDurable. Listed prompts: sendLetter.',
  );
  const unnamed = createRun(prompt, { executor: durable.executor, model: planned(['x']) });
  await expect(unnamed.start()).rejects.toThrow("Pass a name, { model: 'openai:gpt-4o' }");
  expect(await store.unfinished()).toEqual([]);
});

test('a wrong store, driver, client or list of prompts is reported before a run is started', () => {
  const prompt = sendLetter(createEffects());
  const create = (options: object) => () =>
    createDurable({ prompts: [prompt], store: createMemoryStore(), ...options });
  expect(create({ prompts: undefined })).toThrow('Write { prompts: [planDay, …] }');
  expect(create({ prompts: { prompt } })).toThrow('takes its prompts as a list');
  expect(create({ prompts: [() => {}] })).toThrow("Write { prompts: [definePrompt('planDay', …)] }");
  expect(create({ store: undefined })).toThrow(
    'The store of createDurable is undefined. Write { store: createMemoryStore() }.',
  );
  expect(create({ store: Promise.resolve(createMemoryStore()) })).toThrow(
    'createDurable: store is a promise. Write await before it.',
  );
  expect(create({ driver: inProcessDriver })).toThrow(
    'The driver of createDurable has no method "wake". Write { driver: inProcessDriver() }.',
  );
  // with 0 the run would wait for ever
  expect(() => inProcessDriver({ concurrency: 0 })).toThrow("inProcessDriver's concurrency is 0");
  expect(() => inProcessDriver({ concurrency: NaN })).toThrow("inProcessDriver's concurrency is NaN");
  expect(() => createSqlStore('postgres://localhost' as never)).toThrow('Write createSqlStore(new Pool(');
  expect(() => createRedisStore('redis://localhost' as never)).toThrow('Write createRedisStore(await');
});

test('a response that was stored without a wake-up wakes its run when it is sent again', async () => {
  const store = createMemoryStore();
  const prompt = sendLetter(createEffects());
  const inner = inProcessDriver();
  let isDown = false;
  const driver: typeof inner = {
    work: (advance) => inner.work(advance),
    async wake(runId) {
      if (isDown) throw new Error('The engine is unavailable.');
      await inner.wake(runId);
    },
  };
  const { durable } = await workHere([prompt], driver, store);
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start();
  await expect.poll(() => run.getState().status).toBe('waiting');
  const [{ approvalId } = { approvalId: '' }] = run.getState().approvals;
  const command = { type: 'approval-response', approvalId, response: { approved: true } } as const;
  isDown = true;
  await expect(durable.respond(run.getState().runId, command)).rejects.toThrow('unavailable');
  isDown = false;
  const { runId } = run.getState();
  expect(await durable.respond(runId, command)).toEqual({ accepted: true });
  expect(await result).toBe('Sent.');
  // the log has the response now
  expect(await durable.respond(runId, command)).toEqual({ accepted: true });
  const other = { ...command, response: { approved: false } } as const;
  expect(await durable.respond(runId, other)).toMatchObject({ accepted: false });
});

test('a response that is already in the log wakes its run when it is sent again', async () => {
  const store = createMemoryStore();
  const prompt = sendLetter(createEffects());
  const woken: string[] = [];
  const driver = {
    wake: async (runId: string) => void woken.push(runId),
    work: () => ({ stop: async () => {} }),
  };
  const durable = createDurable({ prompts: [prompt], store, driver });
  const { runId } = await durable.begin({ definition: prompt, input: undefined });
  expect(await durable.advance(runId, new AbortController().signal)).toMatchObject({ status: 'waiting' });
  const { events = [] } = (await durable.read(runId, -1)) ?? {};
  const [{ approvalId } = { approvalId: '' }] = reduceAll(events).approvals;
  const response = { approved: true, input: { to: 'Eve', cc: null } } as const;
  const command = { type: 'approval-response', approvalId, response } as const;
  const claimed = (await store.claim(runId, -1)) as { epoch: number };
  const answered = { seq: events.length, t: 1, type: 'approval-response', approvalId, response } as RunEvent;
  expect(await store.append(runId, claimed.epoch, [answered])).toBe(true);
  woken.length = 0;
  const same = { ...command, response: { input: { cc: null, to: 'Eve' }, approved: true } } as const;
  expect(await durable.respond(runId, same)).toEqual({ accepted: true });
  expect(woken).toEqual([runId]);
  const other = { ...command, response: { approved: true } } as const;
  expect(await durable.respond(runId, other)).toMatchObject({ accepted: false });
});

test('an invalid response is refused with the reason, and a valid one is still accepted', async () => {
  const prompt = sendLetter(createEffects());
  const durable = createDurable({ prompts: [prompt], store: createMemoryStore() });
  const { runId } = await durable.begin({ definition: prompt, input: undefined });
  await durable.advance(runId, new AbortController().signal);
  const [approval] = reduceAll((await durable.read(runId, -1))?.events ?? []).approvals;
  const command = { type: 'approval-response', approvalId: approval?.approvalId ?? '' } as const;
  const broken = { ...command, response: { approved: 'yes' } as never };
  expect(await durable.respond(runId, broken)).toMatchObject({
    accepted: false,
    reason: expect.stringContaining('not a response to an approval'),
  });
  expect(await durable.respond(runId, { ...command, response: { approved: true } })).toEqual({
    accepted: true,
  });
});

test('a run whose log lacks an event is not continued, and the error names the event', async () => {
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
  // another worker, which has no log of the run in its cache
  await expect(createDurable(settings).advance('run-1', signal)).rejects.toThrow(
    'Event 3 of run run-1 is missing',
  );
});

test('a step whose events the store refuses is reported and repeated', async () => {
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
  const { durable } = await workHere([prompt], driver, forgetful);
  const run = createRun(prompt, { executor: durable.executor });
  expect(await run.start({ book: 'Emma' })).toBe('Written.');
  expect(errors).toMatchObject([{ code: 'storage_failed' }]);
});

test('a limit of Infinity in a start replaces the limit of createDurable', async () => {
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

test('a start with options that are not stored is refused, because a tool would run without its approval', async () => {
  const store = createMemoryStore();
  const prompt = sendLetter(createEffects());
  const durable = createDurable({ prompts: [prompt], store });
  const options = { approval: true, temperature: 0.2, limits: { steps: 3 }, system: undefined } as const;
  const run = createRun(prompt, { executor: durable.executor, options });
  await expect(run.start()).rejects.toMatchObject({
    code: 'invalid_options',
    message:
      'This start passes options that are not stored, and another worker would not have them: approval, temperature. ' +
      'A start stores only its limits. Set all others for every run: createDurable({ options: { approval, temperature }, … }).',
  });
  expect(await store.unfinished()).toEqual([]);
});

test('the abortSignal of a start stops the run', async () => {
  const prompt = definePrompt('wait', (builder) => builder.$`Wait.`, {
    model: scriptedModel([[{ text: 'Well', delay: 60_000 }]]),
  });
  const { durable } = await workHere([prompt]);
  const leaving = new AbortController();
  const options = { abortSignal: leaving.signal };
  const run = createRun(prompt, { executor: durable.executor, options });
  const started = run.start();
  await expect.poll(() => run.getState().steps.length).toBe(1);
  leaving.abort();
  await expect(started).rejects.toMatchObject({ code: 'aborted' });
  expect(run.getState().status).toBe('stopped');
});

test('work rejects and stops its worker if the store is unavailable', async () => {
  const store = createMemoryStore();
  let stopped = 0;
  const durable = createDurable({
    prompts: [],
    store: { ...store, unfinished: () => Promise.reject(new Error('The store is unavailable.')) },
    driver: { wake: async () => {}, work: () => ({ stop: async () => void (stopped += 1) }) },
  });
  await expect(durable.work()).rejects.toThrow('The store is unavailable.');
  expect(stopped).toBe(1);
});
