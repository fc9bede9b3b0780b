import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore, inProcessDriver, type Durable } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { restateDriver } from '@cueline/durable/restate';
import { expect, onTestFinished, test } from 'vitest';

// the compiler checks it too: options that depend on the environment would need a cast under exactOptionalPropertyTypes
test('an option that is undefined has its default', async () => {
  const prompt = definePrompt('hello', (builder) => builder.$`Hello.`, { model: scriptedModel(['Hi.']) });
  const durable = createDurable({
    prompts: [prompt],
    store: createMemoryStore(),
    driver:
      'cluster' in globalThis ? inProcessDriver({ concurrency: undefined, graceMs: undefined }) : undefined,
    models: undefined,
    options: undefined,
  });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  expect(await createRun(prompt, { executor: durable.executor }).start()).toBe('Hi.');
});

const valid = { prompts: [], store: createMemoryStore() };

test.each<[string, () => unknown, string]>([
  ['createDurable of nothing', () => createDurable(undefined as never), 'createDurable takes an object'],
  [
    'a guard without methods',
    () => createDurable({ ...valid, guard: {} as never }),
    'The guard of createDurable has no method "begin". Write { guard: createRunGuard({ limits }) }.',
  ],
  [
    'models that are not awaited',
    () => createDurable({ ...valid, models: Promise.resolve({}) as never }),
    'createDurable: models is a promise. Write await before it.',
  ],
  [
    'a time that is not a number',
    () => createDurable({ ...valid, unknownPromptMs: '1 day' as never }),
    'The unknownPromptMs of createDurable is 1 day. Write milliseconds',
  ],
  ['bullmqDriver of nothing', () => bullmqDriver(undefined as never), 'bullmqDriver takes an object'],
  [
    'bullmqDriver without a connection',
    () => bullmqDriver({} as never),
    'The connection of bullmqDriver is undefined. Write bullmqDriver({ connection: client })',
  ],
  [
    'a connection that is not awaited',
    () => bullmqDriver({ connection: Promise.resolve() }),
    'The connection of bullmqDriver has no method "duplicate". It is a promise: await it.',
  ],
  ['restateDriver of nothing', () => restateDriver(undefined as never), 'restateDriver takes an object'],
  [
    'an ingress that the environment lacks',
    () => restateDriver({ ingress: undefined as never }),
    `The ingress of restateDriver is undefined. Write { ingress: 'http://localhost:8080' }.`,
  ],
])('%s is refused at once', (_what, create, message) => {
  expect(create).toThrow(message);
});

test('a store that answers with nothing is named, and no step counts as stored', async () => {
  const prompt = definePrompt('hello', (builder) => builder.$`Hello.`, { model: scriptedModel(['Hi.']) });
  const nothing = async (): Promise<never> => undefined as never;
  const driver = { wake: async () => {}, work: () => ({ stop: async () => {} }) };
  const open = (broken: object) =>
    createDurable({ prompts: [prompt], store: { ...createMemoryStore(), ...broken }, driver });
  const start = { definition: prompt, input: undefined };
  await expect(open({ create: nothing }).begin(start)).rejects.toThrow(
    "create of the store returned undefined. Return 'created', or { runId } of the run that has the key.",
  );
  const durable = open({ append: nothing });
  const { runId } = await durable.begin(start);
  await expect(durable.advance(runId, new AbortController().signal)).rejects.toThrow(
    'append of the store returned undefined. Return true if the events are stored, and false if they are refused.',
  );
});

test.each<[answer: unknown, message: string]>([
  [undefined, 'claim of the store returned undefined. Return { epoch, start, events, commands } of the run'],
  [null, 'claim of the store returned null. Return { epoch, start, events, commands } of the run'],
  [{ epoch: 1, events: [] }, 'claim of the store returned {"epoch":1,"events":[]}. Return { epoch, start,'],
])('a store whose claim answers with %j is named, and the run is tried again', async (answer, message) => {
  const prompt = definePrompt('hello', (builder) => builder.$`Hello.`, {
    model: scriptedModel(['Hi.', 'Hi.']),
  });
  const store = createMemoryStore();
  const errors: unknown[] = [];
  let isBroken = true;
  const durable = createDurable({
    prompts: [prompt],
    store: {
      ...store,
      claim: async (runId, afterSeq) => (isBroken ? (answer as never) : store.claim(runId, afterSeq)),
    },
    driver: inProcessDriver({
      onError(error) {
        errors.push(error);
        isBroken = false;
      },
    }),
  });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  expect(await createRun(prompt, { executor: durable.executor }).start()).toBe('Hi.');
  expect(errors).toEqual([expect.objectContaining({ code: 'invalid_options' })]);
  expect(String(errors)).toContain(message);
});

test.each<[method: string, message: string, ask: (durable: Durable) => Promise<unknown>]>([
  [
    'read',
    'read of the store returned null. Return { events, ended } of the run, or undefined if it is not stored.',
    (durable) => durable.read('run-1', -1),
  ],
  [
    'unfinished',
    'unfinished of the store returned null. Return a list of the ids of the runs that have not ended.',
    (durable) => durable.work(),
  ],
  [
    'find',
    'find of the store returned null. Return { runId, prompt, owner, length, endSeq } of the run, or undefined if there is none.',
    (durable) => durable.find({ key: 'one' }),
  ],
])('a store whose %s answers with null is named to the caller', async (method, message, ask) => {
  const store = { ...createMemoryStore(), [method]: async () => null };
  await expect(ask(createDurable({ prompts: [], store }))).rejects.toThrow(message);
});

test.each([undefined, 'stop', {}, { type: 'approve' }, { type: 'toString' }])(
  'respond refuses %j, which is not a command',
  async (command) => {
    const prompt = definePrompt('hello', (builder) => builder.$`Hello.`, { model: scriptedModel(['Hi.']) });
    const durable = createDurable({ prompts: [prompt], store: createMemoryStore() });
    const { runId } = await durable.begin({ definition: prompt, input: undefined, messages: [], tasks: [] });
    expect(await durable.respond(runId, command as never)).toEqual({
      accepted: false,
      reason:
        'This is not a command. Its type is one of: approval-response, client-tool-response, client-tool-claim, edit, stop.',
    });
  },
);
