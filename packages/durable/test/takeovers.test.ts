import { definePrompt, type PromptDefinition, type PromptOptions, type RunEvent } from '@cueline/core';
import {
  createDurable,
  createMemoryStore,
  type DurableDriver,
  type DurableOptions,
  type DurableStore,
} from '@cueline/durable';
// Workers that end while they advance a run. A worker that has ended never returns from the code that has ended it.
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { createEffects } from './support/driver-contract.ts';
import { after, planned, sendLetter } from './support/prompts.ts';

const driver: DurableDriver = { wake: async () => {}, work: () => ({ stop: async () => {} }) };
const call = (name: string) => ({ toolCall: { name, input: {} } });
const answers = (name: string) => planned([[call(name)], 'Done.']);

/** Creates what ends workers, and counts how many it has ended. */
function createEnds() {
  let count = 0;
  let report = (): void => {};
  return {
    count: () => count,
    next: async () => new Promise<void>((resolve) => (report = resolve)),
    end: async (): Promise<never> => {
      count += 1;
      report();
      return new Promise(() => {});
    },
  };
}

/**
 * Opens a store with one run. Each call of `work` is a new worker that advances the run until it waits, ends, or ends
 * the worker.
 */
async function openRun(
  prompt: PromptDefinition<void>,
  { store = createMemoryStore(), ...given }: Partial<DurableOptions> = {},
  next: () => Promise<void> = () => new Promise(() => {}),
) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const open = () => createDurable({ prompts: [prompt], store, driver, ...given });
  const { runId } = await open().begin({ definition: prompt, input: undefined });
  async function work(signal = leaving.signal): Promise<string> {
    const durable = open();
    for (;;) {
      const ended = next();
      const advanced = durable.advance(runId, signal);
      advanced.catch(() => {});
      const result = await Promise.race([advanced, ended]);
      if (result?.status !== 'next') return result?.status ?? 'ended';
    }
  }
  const events = async (): Promise<readonly RunEvent[]> => (await store.read(runId, -1))?.events ?? [];
  return { runId, store, work, events, durable: open() };
}

type Ender = () => Promise<never>;

const places: [place: string, (end: Ender) => { prompt: PromptDefinition<void>; options?: PromptOptions }][] =
  [
    ['the prompt function', (end) => ({ prompt: definePrompt('bad', end, { model: planned([]) }) })],
    [
      'a hook, after another one has changed the step',
      (end) => ({
        prompt: definePrompt(
          'bad',
          (prompt) => {
            prompt.$`Go.`;
            prompt.defHook(() => ({ temperature: 0 }));
            prompt.defHook(end);
          },
          { model: planned([]) },
        ),
      }),
    ],
    [
      'prepareStep at a later step',
      (end) => ({
        prompt: definePrompt(
          'bad',
          (prompt) => {
            prompt.$`Go.`;
            prompt.defTool('look', 'Look', z.object({}), () => 'seen');
          },
          { model: answers('look') },
        ),
        options: { prepareStep: ({ stepNumber }) => (stepNumber === 0 ? {} : end()) },
      }),
    ],
    [
      'a hook of an agent',
      (end) => ({
        prompt: definePrompt(
          'bad',
          (prompt) => {
            prompt.$`Go.`;
            prompt.defAgent('finder', 'Finds', z.object({}), (_args, inner) => {
              inner.$`Find it.`;
              inner.defHook(end);
            });
          },
          { model: answers('finder') },
        ),
      }),
    ],
  ];

test.each(places)('a run whose workers end in %s ends once, and says why', async (_place, define) => {
  const { end, next, count } = createEnds();
  const { prompt, options } = define(end);
  const { work, events, runId, store } = await openRun(prompt, { options }, next);
  let workers = 0;
  while ((await store.read(runId, -1))?.ended !== true && workers < 20) {
    workers += 1;
    await work();
  }
  expect(count()).toBe(7);
  const ends = (await events()).filter(({ type }) => type === 'run-end');
  expect(ends).toMatchObject([{ outcome: 'error', error: { code: 'interrupted' } }]);
  expect(JSON.stringify(ends)).toContain(
    `Run ${runId} was ended: 6 workers in a row took it over, and each of them ended, or lost the run, before the run got further.`,
  );
  expect(await work()).toBe('done');
  expect(await store.commands(runId)).toEqual([]);
});

test('a run whose workers end in the answer of the model ends once, and says why', async () => {
  const { end, next, count } = createEnds();
  const model = planned([]);
  const prompt = definePrompt('bad', (desk) => desk.$`Go.`, { model: { ...model, doStream: end } });
  const { work, events, runId, store } = await openRun(prompt, {}, next);
  while ((await work()) !== 'done');
  expect(count()).toBe(13);
  const ends = (await events()).filter(({ type }) => type === 'run-end');
  expect(ends).toMatchObject([{ outcome: 'error', error: { code: 'interrupted' } }]);
  expect(JSON.stringify(ends)).toContain(
    `Run ${runId} was ended: 12 workers in a row took it over, and each of them ended, or lost the run, while the model answered.`,
  );
  expect(await store.commands(runId)).toEqual([]);
});

test('workers that end in the answers of different steps do not count together', async () => {
  const { end, next, count } = createEnds();
  const steps = 7;
  const model = planned([...Array.from({ length: steps }, () => [call('look')]), 'Done.']);
  let calls = 0;
  const prompt = definePrompt(
    'long',
    (desk) => {
      desk.$`Go.`;
      desk.defTool('look', 'Look', z.object({}), () => 'seen', { effect: 'read' });
    },
    {
      model: {
        ...model,
        // each answer comes at the fourth call
        doStream: async (request: Parameters<typeof model.doStream>[0]) =>
          (calls += 1) % 4 === 0 ? model.doStream(request) : end(),
      },
    },
  );
  const { work, events } = await openRun(prompt, { options: { loopGuard: false } }, next);
  while ((await work()) !== 'done');
  expect(count()).toBe(3 * (steps + 1));
  expect((await events()).at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
});

test('workers that end after the run got further do not count', async () => {
  const { end, next, count } = createEnds();
  let starts = 0;
  const steps = 10;
  const prompt = definePrompt(
    'long',
    (desk) => {
      desk.$`Go.`;
      desk.defTool('look', 'Look', z.object({}), () => ((starts += 1) % 2 === 1 ? end() : 'seen'), {
        effect: 'read',
      });
    },
    { model: planned([...Array.from({ length: steps }, () => [call('look')]), 'Done.']) },
  );
  const { work, events } = await openRun(prompt, { options: { loopGuard: false } }, next);
  while ((await work()) !== 'done');
  expect(count()).toBe(steps);
  expect((await events()).at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
});

test('a tool call that ends every worker ends with an error, and its run continues', async () => {
  const { end, next, count } = createEnds();
  const prompt = definePrompt(
    'tool',
    (desk) => {
      desk.$`Go.`;
      desk.defTool('look', 'Look', z.object({}), end, { effect: 'read', needsApproval: true });
    },
    { model: answers('look') },
  );
  const { work, events, runId, durable } = await openRun(prompt, {}, next);
  expect(await work()).toBe('waiting');
  const request = (await events()).find((event) => event.type === 'approval-request');
  const approvalId = request?.type === 'approval-request' ? request.approvalId : '';
  await durable.respond(runId, { type: 'approval-response', approvalId, response: { approved: true } });
  while ((await work()) !== 'done');
  expect(count()).toBe(5);
  expect((await events()).at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
});

test('a run that waits for an approval may have any number of workers', async () => {
  const effects = createEffects();
  const { work, events, runId, durable, store } = await openRun(sendLetter(effects));
  for (let workers = 0; workers < 20; workers += 1) expect(await work()).toBe('waiting');
  expect(await store.commands(runId)).toEqual([]);
  const request = (await events()).find((event) => event.type === 'approval-request');
  const approvalId = request?.type === 'approval-request' ? request.approvalId : '';
  await durable.respond(runId, { type: 'approval-response', approvalId, response: { approved: true } });
  expect(await work()).toBe('done');
  expect(effects.noted).toEqual(['send Ada']);
});

test.each(['stop', 'cannot store events'] as const)('workers that %s do not count', async (how) => {
  vi.stubEnv('NODE_ENV', 'development');
  const print = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    print.mockRestore();
  });
  const inner = createMemoryStore();
  let isDown = true;
  const store: DurableStore = {
    ...inner,
    async append(...given) {
      if (isDown && how !== 'stop') throw new Error('The store is unavailable.');
      return inner.append(...given);
    },
  };
  const prompt = definePrompt(
    'slow',
    async (desk) => {
      desk.$`Go.`;
      if (isDown && how === 'stop') await new Promise(() => {});
    },
    { model: planned(['Done.']) },
  );
  const { work, events, runId } = await openRun(prompt, { store });
  for (let workers = 0; workers < 20; workers += 1) {
    const signal = how === 'stop' ? AbortSignal.timeout(2) : undefined;
    await expect(work(signal)).rejects.toThrow();
  }
  expect(await inner.commands(runId)).toEqual([]);
  // the driver reports these failures
  expect(print).not.toHaveBeenCalled();
  isDown = false;
  expect(await work()).toBe('done');
  expect((await events()).at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
});

test('workers that lose the run because they do not answer count, even if they go on later', async () => {
  const { end, next, count } = createEnds();
  const prompt = definePrompt('blocks', end, { model: planned([]) });
  const { work, events } = await openRun(prompt, {}, next);
  let before: AbortController | undefined;
  for (let workers = 0; workers < 20; workers += 1) {
    const lock = new AbortController();
    if ((await work(lock.signal)) === 'done') break;
    // as a driver does once the other worker has the run
    before?.abort(new Error('The worker has lost its lock.'));
    await after(1);
    before = lock;
  }
  expect(count()).toBe(7);
  expect((await events()).at(-1)).toMatchObject({ type: 'run-end', error: { code: 'interrupted' } });
});

test('runs that share their processes with one that ends them are not ended', async () => {
  const inner = createMemoryStore();
  let end = (): void => {};
  const bad = definePrompt(
    'bad',
    async () => {
      end();
      await new Promise(() => {});
    },
    { model: planned([]) },
  );
  const good = definePrompt(
    'good',
    async (prompt) => {
      await after(5);
      prompt.$`Go.`;
    },
    { model: planned(['Done.']) },
  );
  const durable = createDurable({ prompts: [bad, good], store: inner, driver });
  const runIds: string[] = [];
  for (const definition of [good, bad, good, good]) {
    runIds.push((await durable.begin({ definition, input: undefined })).runId);
  }
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  for (let processes = 0; processes < 12; processes += 1) {
    let isUp = true;
    const ended = new Promise<void>((resolve) => {
      end = () => {
        isUp = false;
        resolve();
      };
    });
    // the store gets nothing from a process that has ended
    const store = new Proxy(inner, {
      get:
        (target, name: keyof DurableStore) =>
        (...given: never[]) =>
          isUp ? (target[name] as (...given: never[]) => unknown)(...given) : new Promise(() => {}),
    });
    const { advance } = createDurable({ prompts: [bad, good], store, driver });
    const works = runIds.map(async (runId) => advance(runId, leaving.signal).catch(() => {}));
    await Promise.race([Promise.all(works), ended]);
  }
  const outcomes = await Promise.all(runIds.map(async (id) => (await inner.read(id, -1))?.events.at(-1)));
  expect(outcomes).toMatchObject([
    { type: 'run-end', outcome: 'done' },
    { type: 'run-end', outcome: 'error', error: { code: 'interrupted' } },
    { type: 'run-end', outcome: 'done' },
    { type: 'run-end', outcome: 'done' },
  ]);
});

test.each(['between two steps', 'in an answer', 'in a tool that reads', 'in a tool that writes'] as const)(
  'the time in which no worker has a run does not count for totalMs (%s)',
  async (place) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { end, next, count } = createEnds();
    const come = (here: typeof place) => (here === place && count() === 0 ? end() : undefined);
    const model = planned([[call('look')], [call('write')], [call('look')], 'Done.']);
    let opened = 0;
    const prompt = definePrompt(
      'trip',
      async (desk) => {
        desk.$`Go.`;
        desk.defTool('look', 'Look', z.object({}), () => come('in a tool that reads') ?? 'seen', {
          effect: 'read',
        });
        desk.defTool('write', 'Write', z.object({}), () => come('in a tool that writes') ?? 'written', {
          effect: 'write',
        });
        opened += 1;
        if (opened === 2) await come('between two steps');
      },
      {
        model: {
          ...model,
          doStream: async (request: Parameters<typeof model.doStream>[0]) =>
            (await come('in an answer')) ?? (await model.doStream(request)),
        },
      },
    );
    const options = { timeout: { totalMs: 60_000 } };
    const { work, events } = await openRun(prompt, { options }, next);
    expect(await work()).toBe('ended');
    vi.setSystemTime(Date.now() + 86_400_000);
    expect(await work()).toBe('done');
    expect((await events()).at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
  },
);
