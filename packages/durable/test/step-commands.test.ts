import {
  createRun,
  definePrompt,
  type ApprovalResponse,
  type PromptDefinition,
  type RunState,
} from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createDurable, createMemoryStore, type DurableStore } from '@cueline/durable';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { createStepCommands } from '../src/step-commands.ts';
import { createEffects, workHere } from './support/driver-contract.ts';
import { planned, type Effects } from './support/prompts.ts';

/** A prompt whose model calls two tools at once: a slow one, and one that needs an approval. */
function twoTools(effects: Effects): { prompt: PromptDefinition<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const call = (name: string) => ({ toolCall: { name, input: {} } });
  const prompt = definePrompt(
    'twoTools',
    (desk) => {
      desk.$`Do both.`;
      desk.defTool('slow', 'Slow', z.object({}), async () => {
        effects.note('slow');
        await opened;
        return 'late';
      });
      desk.defTool('send', 'Send', z.object({}), () => effects.note('send'), {
        effect: 'external',
        needsApproval: true,
      });
    },
    { model: planned([[call('slow'), call('send')], 'Done.']) },
  );
  return { prompt, open };
}

/** Starts a run, up to the middle of a step: one tool is running, and the other one waits for its approval. */
async function openStep(store: DurableStore = createMemoryStore()) {
  const effects = createEffects();
  const { prompt, open } = twoTools(effects);
  const { durable: here } = await workHere([prompt], undefined, store);
  onTestFinished(open);
  const run = createRun(prompt, { executor: here.executor });
  const result = run.start();
  result.catch(() => {});
  await expect.poll(() => run.getState().approvals).toHaveLength(1);
  await expect.poll(() => effects.noted).toEqual(['slow']);
  const { runId, approvals } = run.getState();
  const { approvalId } = approvals[0]!;
  const elsewhere = createDurable({ prompts: [prompt], store });
  const respond = async (where: 'this' | 'another', response: ApprovalResponse): Promise<void> => {
    const command = { type: 'approval-response', approvalId, response } as const;
    const durable = where === 'this' ? here : elsewhere;
    expect(await durable.respond(runId, command)).toEqual({ accepted: true });
  };
  const state = (): RunState => run.getState();
  return { store, effects, open, run, runId, result, respond, state };
}

test.each(['this', 'another'] as const)(
  'an approval in %s process starts its call while another call of the step is running',
  async (where) => {
    const { store, effects, open, run, runId, result, respond } = await openStep();
    await respond(where, { approved: true });
    await expect.poll(() => effects.noted, { timeout: 5_000 }).toEqual(['slow', 'send']);
    open();
    expect(await result).toBe('Done.');
    expect(effects.noted).toEqual(['slow', 'send']);
    const places = run
      .log()
      .map((event) => ('toolName' in event ? `${event.type} ${event.toolName}` : event.type));
    expect(places.filter((place) => place === 'approval-response')).toHaveLength(1);
    expect(places.indexOf('approval-response')).toBeLessThan(places.indexOf('tool-start send'));
    expect(await store.commands(runId)).toEqual([]);
  },
);

test('a response to a client tool arrives while another call of the step is running', async () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const prompt = definePrompt(
    'page',
    (desk) => {
      desk.$`Look and wait.`;
      desk.defTool('look', 'Looks in the page', z.object({}));
      desk.defTool('slow', 'Slow', z.object({}), () => opened);
    },
    {
      model: planned([
        [{ toolCall: { name: 'look', input: {} } }, { toolCall: { name: 'slow', input: {} } }],
        'Done.',
      ]),
    },
  );
  const { durable } = await workHere([prompt]);
  onTestFinished(open);
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start();
  await expect.poll(() => run.getState().clientToolCalls).toHaveLength(1);
  const { runId, clientToolCalls } = run.getState();
  const { clientCallId } = clientToolCalls[0]!;
  const claim = { type: 'client-tool-claim', clientCallId, page: 'page-1' } as const;
  expect(await durable.respond(runId, claim)).toEqual({ accepted: true });
  const response = { type: 'client-tool-response', clientCallId, response: { output: 'seen' } } as const;
  expect(await durable.respond(runId, response)).toEqual({ accepted: true });
  const look = () => run.getState().toolCalls.find(({ toolName }) => toolName === 'look');
  await expect.poll(look, { timeout: 5_000 }).toMatchObject({ state: 'output-available', output: 'seen' });
  expect(run.getState().clientToolCalls).toMatchObject([{ page: 'page-1' }]);
  open();
  expect(await result).toBe('Done.');
});

test('a refusal during a step prevents its call, and the other call continues', async () => {
  const { effects, open, result, respond, state } = await openStep();
  await respond('another', { approved: false, reason: 'Not now.' });
  await expect
    .poll(() => state().approvals[0]?.response, { timeout: 5_000 })
    .toMatchObject({ approved: false });
  open();
  expect(await result).toBe('Done.');
  expect(effects.noted).toEqual(['slow']);
});

test('a worker whose run another worker has taken over starts no call for a response that it reads', async () => {
  const inner = createMemoryStore();
  let reads = 0;
  const { effects, runId, respond, open } = await openStep({
    ...inner,
    commands: (runId) => ((reads += 1), inner.commands(runId)),
  });
  await inner.claim(runId, -1);
  await respond('another', { approved: true });
  const before = reads;
  await expect.poll(() => reads, { timeout: 5_000 }).toBeGreaterThan(before);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(effects.noted).toEqual(['slow']);
  const types = ((await inner.read(runId, -1))?.events ?? []).map(({ type }) => type);
  expect(types).not.toContain('approval-response');
  open();
});

test('a response that comes during a read of the commands causes another read right after it', async () => {
  const inner = createMemoryStore();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let reads = 0;
  const { respond } = await openStep({
    ...inner,
    async commands(runId) {
      const found = await inner.commands(runId);
      if ((reads += 1) === 1) await held;
      return found;
    },
  });
  await expect.poll(() => reads, { timeout: 5_000 }).toBe(1);
  await respond('this', { approved: true });
  release();
  // no timer fires in this time, so the second read is not the one that comes once a second
  for (let turns = 0; turns < 1_000; turns += 1) await Promise.resolve();
  expect(reads).toBe(2);
});

test('commands are read again after a read that the store never answers', async () => {
  const inner = createMemoryStore();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let reads = 0;
  await inner.create({ runId: 'run-1', start: { prompt: 'any' } });
  const sent = createStepCommands(
    { commands: async (runId) => ((reads += 1) === 1 ? new Promise(() => {}) : inner.commands(runId)) },
    'run-1',
    [],
  );
  onTestFinished(() => sent.end());
  await inner.send('run-1', { name: 'stop', command: { type: 'stop' } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent.stop.aborted).toBe(true);
});

test('a response that a step cannot store is kept until the step is repeated', async () => {
  const inner = createMemoryStore();
  let isDown = false;
  const { effects, runId, respond, open, result, store } = await openStep({
    ...inner,
    async append(...given) {
      if (isDown) throw new Error('The store is unavailable.');
      return inner.append(...given);
    },
  });
  isDown = true;
  await respond('this', { approved: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(effects.noted).toEqual(['slow']);
  expect(await store.commands(runId)).toHaveLength(1);
  isDown = false;
  open();
  expect(await result).toBe('Done.');
  expect(effects.noted.filter((each) => each === 'send')).toHaveLength(1);
});

/** A prompt with one task, whose model takes `open` to write its last answer. */
function oneTask(): { prompt: PromptDefinition<void>; asked(): boolean; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const done = (id: string): ScriptedTurn => [
    { toolCall: { name: 'finishTask', input: { result: 'x' }, id } },
  ];
  let isAsked = false;
  const model = planned([done('1'), 'Done.', done('2'), 'Really done.']);
  const doStream: typeof model.doStream = async (call) => {
    if (call.prompt.some(({ role }) => role === 'assistant')) {
      isAsked = true;
      await opened;
    }
    return model.doStream(call);
  };
  const prompt = definePrompt(
    'oneTask',
    (desk) => {
      desk.$`Work.`;
      desk.defTaskList([{ task: 'Do a' }]);
    },
    { model: { ...model, doStream } },
  );
  return { prompt, asked: () => isAsked, open };
}

test('an edit that another process sends during the last step is made once, before the run ends', async () => {
  const { prompt, asked, open } = oneTask();
  const store = createMemoryStore();
  const { durable: here } = await workHere([prompt], undefined, store);
  const run = createRun(prompt, { executor: here.executor });
  const result = run.start();
  await expect.poll(asked).toBe(true);
  const elsewhere = createDurable({ prompts: [prompt], store });
  const edit = { type: 'add', title: 'Do b' } as const;
  expect(await elsewhere.respond(run.getState().runId, { type: 'edit', edit })).toEqual({ accepted: true });
  open();
  await result;
  expect(run.getState().tasks).toMatchObject([
    { title: 'Do a', status: 'completed' },
    { title: 'Do b', status: 'completed' },
  ]);
});

test('an edit is refused if the run ends while the edit is sent', async () => {
  const inner = createMemoryStore();
  await inner.create({ runId: 'run-1', start: { prompt: 'any' } });
  const { epoch } = (await inner.claim('run-1', -1)) as { epoch: number };
  const durable = createDurable({
    prompts: [],
    store: {
      ...inner,
      async send(runId, command) {
        const kept = await inner.send(runId, command);
        await inner.append(runId, epoch, [{ seq: 0, t: 0, type: 'run-end', outcome: 'stopped' }]);
        return kept;
      },
    },
  });
  const edit = { type: 'add', title: 'Do b' } as const;
  expect(await durable.respond('run-1', { type: 'edit', edit })).toMatchObject({ accepted: false });
});
