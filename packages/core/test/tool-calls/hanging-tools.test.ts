import {
  createRun,
  definePrompt,
  initialState,
  inProcess,
  reduce,
  tool,
  type Prompt,
  type RunRequest,
  type RunState,
  type ToolContext,
} from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, go } from '../support.ts';
import { after } from '../support/runs.ts';

/** A run in this process whose tools may take so long. */
function runHere(define: (prompt: Prompt) => void, turns: readonly ScriptedTurn[], toolMs: number) {
  const model = scriptedModel(turns);
  const options = { timeout: { toolMs } };
  return createRun(definePrompt('here', go(define)), { model, executor: inProcess(), options });
}

/** The state at the end of a run whose events wait until they are stored. */
async function endOf(
  request: Omit<RunRequest<undefined>, 'input'>,
  signal = AbortSignal.timeout(4_000),
): Promise<RunState> {
  let state = initialState;
  for await (const event of inProcess().start({ ...request, input: undefined }, signal)) {
    state = reduce(state, event);
  }
  return state;
}

test('eight tools that never return do not block other tools', async () => {
  let looked = 0;
  const define = (prompt: Prompt) => {
    prompt.defTool('hang', '', z.object({ n: z.number() }), () => new Promise(() => {}));
    prompt.defTool('look', '', z.object({}), () => (looked += 1));
  };
  const hanging = Array.from({ length: 8 }, (_none, n) => call('hang', { n }));
  const run = runHere(define, [[...hanging, call('look')], 'Done.'], 100);
  expect(await run.start()).toBe('Done.');
  expect(looked).toBe(1);
  const { toolCalls } = run.getState();
  expect(toolCalls.map(({ toolName, state }) => [toolName, state])).toEqual([
    ...hanging.map(() => ['hang', 'output-error']),
    ['look', 'output-available'],
  ]);
});

test('a call inside a composite tool has a tool’s time limit, which does not count while an agent works in it', async () => {
  const ask = async (_args: object, context: ToolContext) => (await helper.call('Help', { context })).output;
  const define = (prompt: Prompt) =>
    prompt.defTool('several', '', [
      tool('hang', '', z.object({}), () => new Promise(() => {})),
      tool('ask', '', z.object({}), ask),
      tool('look', '', z.object({}), () => 'seen'),
    ]);
  const helper = defineAgent({
    name: 'helper',
    instructions: 'You help.',
    model: scriptedModel(['Loaded.', [{ delay: 400 }, { text: 'Helped.' }]]),
  });
  // what an agent needs is loaded with its first call
  await helper.call('Load');
  const calls = ['hang', 'ask', 'look'].map((name) => ({ name, args: {} }));
  const run = runHere(define, [[call('several', { calls })], 'Done.'], 200);
  expect(await run.start()).toBe('Done.');
  expect(run.getState().toolCalls[0]?.subCalls).toMatchObject([
    { name: 'hang', errorText: 'hang took longer than 200 ms, so it was ended.' },
    { name: 'ask', output: 'Helped.' },
    { name: 'look', output: 'seen' },
  ]);
});

test('a generator behind a plain function, or in a composite tool, ends with its call', async () => {
  const ended: string[] = [];
  async function* poll(name: string): AsyncGenerator<string> {
    try {
      for (;;) {
        yield 'again';
        await after(5);
      }
    } finally {
      ended.push(name);
    }
  }
  const define = (prompt: Prompt) => {
    prompt.defTool('plain', '', z.object({}), () => poll('plain'));
    prompt.defTool('noted', '', z.object({}), () => poll('noted'), {
      onSuccess: () => void ended.push('success'),
    });
    prompt.defTool('kit', '', [tool('part', '', z.object({}), () => poll('part'))]);
  };
  const calls = [call('plain'), call('noted'), call('kit', { calls: [{ name: 'part', args: {} }] })];
  const run = runHere(define, [calls, 'Done.'], 50);
  expect(await run.start()).toBe('Done.');
  await expect.poll(() => ended.toSorted()).toEqual(['noted', 'part', 'plain']);
});

test('a call of an agent that has run out of time while its start is stored does not block other tools', async () => {
  const definition = definePrompt('look', (prompt) => {
    prompt.defAgent(
      'ask',
      '',
      z.object({}),
      (_args, agent) => {
        agent.defTool('save', '', z.object({}), () => 'saved');
        agent.$`Save.`;
      },
      { timeoutMs: 500 },
    );
    prompt.defTool('look', '', z.object({}), () => 'seen');
    prompt.$`Look.`;
  });
  const model = scriptedModel([[call('ask')], [call('save')], [call('look')], 'Done.']);
  const neverStored: string[] = [];
  const state = await endOf({
    definition,
    model,
    options: { limits: { concurrentToolCalls: 1 } },
    whenStored({ agent }) {
      if (agent === undefined) return Promise.resolve();
      neverStored.push(agent);
      return new Promise(() => {});
    },
  });
  expect(neverStored).toHaveLength(1);
  expect(state.status).toBe('done');
  expect(state.toolCalls.map(({ toolName, state }) => [toolName, state])).toEqual([
    ['ask', 'output-error'],
    ['look', 'output-available'],
  ]);
});

/** Runs a prompt whose tool `save` has a time limit, while the storage of its start takes `ms`. */
async function saveWhileStored(ms: number, fn: (ran: string[]) => () => unknown) {
  const ran: string[] = [];
  const definition = definePrompt('save', (prompt) => {
    prompt.defTool('save', '', z.object({}), fn(ran), { effect: 'write', timeoutMs: 50 });
    prompt.defTool('look', '', z.object({}), () => 'seen', { effect: 'read' });
    prompt.$`Save.`;
  });
  const model = scriptedModel([[call('save')], [call('look')], 'Done.']);
  const state = await endOf({ definition, model, whenStored: () => after(ms) });
  // also later
  await after(50);
  return { ran, state };
}

test.each<[string, (ran: string[]) => () => unknown]>([
  ['a function', (ran) => () => void ran.push('save')],
  [
    'a generator',
    (ran) =>
      async function* () {
        ran.push('save');
        yield 'saved';
      },
  ],
])('a tool that is %s does not run if its time was up while its start was stored', async (_what, fn) => {
  const late = await saveWhileStored(150, fn);
  expect(late.ran).toEqual([]);
  expect(late.state).toMatchObject({
    status: 'done',
    text: 'Done.',
    toolCalls: [
      { toolName: 'save', errorText: 'save took longer than 50 ms, so it was ended.' },
      { toolName: 'look', output: 'seen' },
    ],
  });
  const inTime = await saveWhileStored(0, fn);
  expect(inTime.ran).toEqual(['save']);
  expect(inTime.state.toolCalls[0]?.state).toBe('output-available');
});

test('a tool does not run if its run was stopped while its start was stored', async () => {
  const ran: string[] = [];
  const definition = definePrompt('save', (prompt) => {
    prompt.defTool('save', '', z.object({}), () => void ran.push('save'), { effect: 'write' });
    prompt.$`Save.`;
  });
  const stopping = new AbortController();
  const whenStored = (): Promise<void> => {
    stopping.abort();
    return Promise.resolve();
  };
  const model = scriptedModel([[call('save')], 'Never.']);
  const state = await endOf({ definition, model, whenStored }, stopping.signal);
  await after(30);
  expect(state.status).toBe('stopped');
  expect(ran).toEqual([]);
});
