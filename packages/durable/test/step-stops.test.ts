import { createRun, definePrompt, reduceAll, type PromptDefinition, type RunCommand } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import {
  createDurable,
  createMemoryStore,
  inProcessDriver,
  type DurableOptions,
  type RunGuard,
} from '@cueline/durable';
// Commands for what is in progress in a step: a stop ends it, and an edit reaches the task list of an agent.
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { createEffects, workHere } from './support/driver-contract.ts';
import { after, planned } from './support/prompts.ts';

const call = (name: string, input: object = {}, id?: string) => ({
  toolCall: { name, input, ...(id === undefined ? {} : { id }) },
});

/** Starts a run with a worker, and a second process that shares its store. */
async function open(prompt: PromptDefinition<void>, options: DurableOptions['options'] = {}) {
  const store = createMemoryStore();
  const settings = { prompts: [prompt], store, options };
  const here = createDurable(settings);
  const worker = await here.work();
  onTestFinished(() => worker.stop());
  const run = createRun(prompt, { executor: here.executor });
  const result = run.start();
  result.catch(() => {});
  await expect.poll(() => run.getState().runId).not.toBe('');
  return {
    store,
    run,
    result,
    stored: async () => (await store.read(run.getState().runId, -1))?.events ?? [],
    async send(where: 'this' | 'another', command: RunCommand | { type: 'stop' }): Promise<void> {
      const durable = where === 'this' ? here : createDurable(settings);
      expect(await durable.respond(run.getState().runId, command)).toEqual({ accepted: true });
    },
  };
}

/** Holds the tool calls of a model's answer back until `release`. */
function holdCalls(model: ReturnType<typeof planned>) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const doStream: typeof model.doStream = async (request) => {
    const answer = await model.doStream(request);
    type Part = typeof answer.stream extends ReadableStream<infer Value> ? Value : never;
    const hold = new TransformStream<Part, Part>({
      async transform(part, controller) {
        if (part.type.startsWith('tool-')) await released;
        controller.enqueue(part);
      },
    });
    return { ...answer, stream: answer.stream.pipeThrough(hold) };
  };
  return { model: { ...model, doStream }, release };
}

test.each(['this', 'another'] as const)(
  'a stop in %s process while the model answers: a tool that it calls later does not run',
  async (where) => {
    const effects = createEffects();
    const { model, release } = holdCalls(planned([[{ text: 'I send it.' }, call('send')], 'Never.']));
    const prompt = definePrompt(
      'mailer',
      (letter) => {
        letter.$`Send it.`;
        letter.defTool('send', 'Send', z.object({}), () => effects.note('send'), { effect: 'external' });
      },
      { model },
    );
    const { run, result, send, stored } = await open(prompt);
    await expect.poll(() => run.log().some(({ type }) => type === 'text-delta')).toBe(true);
    await send(where, { type: 'stop' });
    await expect(result).rejects.toMatchObject({ code: 'aborted' });
    release();
    await after(100);
    expect(effects.noted).toEqual([]);
    expect((await stored()).at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
  },
);

test.each(['this', 'another'] as const)(
  'a stop in %s process aborts the tool that runs, and the call that waits for its permit never starts',
  async (where) => {
    const effects = createEffects();
    const prompt = definePrompt(
      'worker',
      (desk) => {
        desk.$`Work.`;
        desk.defTool('work', 'Work', z.object({ n: z.number() }), async ({ n }, { abortSignal }) => {
          effects.note(`start ${n}`);
          await new Promise<void>((resolve) => {
            abortSignal?.addEventListener('abort', () => resolve());
          });
          effects.note(`abort ${n}`);
        });
      },
      { model: planned([[call('work', { n: 1 }), call('work', { n: 2 })], 'Never.']) },
    );
    const { result, send, stored } = await open(prompt, { limits: { concurrentToolCalls: 1 } });
    await expect.poll(() => effects.noted).toEqual(['start 1']);
    await send(where, { type: 'stop' });
    await expect(result).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => effects.noted).toEqual(['start 1', 'abort 1']);
    await after(100);
    expect(effects.noted).toEqual(['start 1', 'abort 1']);
    const types = (await stored()).map(({ type }) => type);
    expect(types.filter((type) => type === 'tool-start')).toHaveLength(1);
    expect(types.at(-1)).toBe('run-end');
  },
);

/** A prompt whose function never returns, until `release` lets the next calls return. */
function stuckPrompt() {
  let isStuck = true;
  const effects = createEffects();
  const prompt: PromptDefinition<void> = definePrompt(
    'stuck',
    async (desk) => {
      desk.$`Go.`;
      effects.note('begins');
      if (isStuck) await new Promise(() => {});
    },
    { model: planned(['Done.']) },
  );
  return { prompt, effects, release: () => void (isStuck = false) };
}

test('a run whose prompt function never returns can be stopped, and the worker is free for the next run', async () => {
  const { prompt, effects, release } = stuckPrompt();
  const store = createMemoryStore();
  const { durable } = await workHere([prompt], inProcessDriver({ concurrency: 1 }), store);
  const { runId } = await durable.begin({ definition: prompt, input: undefined });
  await durable.wake(runId);
  await expect.poll(() => effects.noted).toEqual(['begins']);
  release();
  expect(await durable.respond(runId, { type: 'stop' })).toEqual({ accepted: true });
  await expect.poll(async () => (await store.read(runId, -1))?.ended).toBe(true);
  const { events = [] } = (await store.read(runId, -1)) ?? {};
  expect(reduceAll(events)).toMatchObject({ status: 'stopped', runId });
  expect(await createRun(prompt, { executor: durable.executor }).start()).toBe('Done.');
  expect(effects.noted).toEqual(['begins', 'begins']);
  expect(await store.unfinished()).toEqual([]);
});

test.each(['before', 'after'] as const)(
  'a stop %s the step begins ends the run at once, although the guard has not begun, which then gets the end',
  async (when) => {
    const told: string[] = [];
    let begin = (): void => {};
    const open = new Promise<void>((resolve) => (begin = resolve));
    const guard: RunGuard = {
      async begin() {
        told.push('begin');
        await open;
        return {
          wrapModel: (model) => model,
          stored: (events) => void told.push(...events.map(({ type }) => type)),
          over: async (outcome) => void told.push(outcome),
        };
      },
      ended: async () => {},
      flush: async () => {},
    };
    const { prompt, effects } = stuckPrompt();
    const store = createMemoryStore();
    const durable = createDurable({ prompts: [prompt], store, guard });
    const { runId } = await durable.begin({ definition: prompt, input: undefined });
    const stop = (): Promise<unknown> => durable.respond(runId, { type: 'stop' });
    if (when === 'before') await stop();
    const step = durable.advance(runId, new AbortController().signal);
    await expect.poll(() => told).toEqual(['begin']);
    if (when === 'after') await stop();
    await expect.poll(async () => (await store.read(runId, -1))?.ended).toBe(true);
    begin();
    expect(await step).toEqual({ status: 'done' });
    expect(told).toEqual(['begin', 'run-start', 'run-end', 'done']);
    expect(effects.noted).toEqual([]);
  },
);

test('a worker that is stopped leaves a run whose prompt function never returns to another worker', async () => {
  const { prompt, effects, release } = stuckPrompt();
  const store = createMemoryStore();
  const durable = createDurable({ prompts: [prompt], store });
  const { runId } = await durable.begin({ definition: prompt, input: undefined });
  const leaving = new AbortController();
  const left = durable.advance(runId, leaving.signal);
  await expect.poll(() => effects.noted).toEqual(['begins']);
  leaving.abort(new Error('The worker is stopping.'));
  await expect(left).rejects.toThrow('The worker is stopping.');
  expect(await store.unfinished()).toHaveLength(1);
  release();
  expect(await durable.advance(runId, new AbortController().signal)).toEqual({ status: 'done' });
  expect(effects.noted).toEqual(['begins', 'begins']);
});

test.each(['this', 'another'] as const)(
  'an edit in %s process reaches the task list of an agent that is at work',
  async (where) => {
    const effects = createEffects();
    let go = (): void => {};
    const opened = new Promise<void>((resolve) => (go = resolve));
    onTestFinished(go);
    const finish = (id: string): ScriptedTurn => [call('finishTask', { result: 'x' }, id)];
    // each task begins without the answers to the one before
    const work: ScriptedTurn[] = [[call('look')], finish('1'), finish('2')];
    const models = {
      run: planned([[call('helper')], 'Done.']),
      first: planned(work),
      second: planned([finish('2'), 'Helped.']),
    };
    const isSecond = (text: string): boolean =>
      text.includes('[Task 2/2] Do y') || text.includes('All tasks are completed');
    const model: typeof models.run = {
      ...models.run,
      doStream(request) {
        const text = JSON.stringify(request.prompt);
        if (!text.includes('You are the helper')) return models.run.doStream(request);
        return models[isSecond(text) ? 'second' : 'first'].doStream(request);
      },
    };
    const prompt = definePrompt(
      'parent',
      (desk) => {
        desk.$`Ask the helper.`;
        desk.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
          inner.$`You are the helper.`;
          inner.defTaskList([{ task: 'Do x' }]);
          inner.defTool('look', 'Look', z.object({}), async () => {
            effects.note('look');
            await opened;
            return 'seen';
          });
        });
      },
      { model },
    );
    const { run, result, send, store } = await open(prompt);
    await expect.poll(() => effects.noted).toEqual(['look']);
    const tasks = () => run.getState().agents[0]?.tasks.map(({ title, status }) => `${title}: ${status}`);
    const agent = run.getState().agents[0]?.path ?? '';
    await send(where, { type: 'edit', edit: { type: 'add', title: 'Do y' }, agent });
    await expect.poll(tasks, { timeout: 5_000 }).toHaveLength(2);
    go();
    expect(await result).toBe('Done.');
    // once, also after the steps that follow
    expect(tasks()).toEqual(['Do x: completed', 'Do y: completed']);
    expect(await store.commands(run.getState().runId)).toEqual([]);
  },
);
