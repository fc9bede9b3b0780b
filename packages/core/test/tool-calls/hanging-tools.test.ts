import { createRun, definePrompt, initialState, inProcess, reduce, tool } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { after } from '../support/runs.ts';

test('eight tools that never return do not block other tools', async () => {
  let looked = 0;
  const definition = definePrompt('look', (prompt) => {
    prompt.defTool('hang', '', z.object({ n: z.number() }), () => new Promise(() => {}));
    prompt.defTool('look', '', z.object({}), () => (looked += 1));
    prompt.$`Look.`;
  });
  const hanging = Array.from({ length: 8 }, (_none, n) => call('hang', { n }));
  const model = scriptedModel([[...hanging, call('look')], 'Done.']);
  const run = createRun(definition, {
    model,
    executor: inProcess(),
    options: { timeout: { toolMs: 100 } },
  });
  expect(await run.start()).toBe('Done.');
  expect(looked).toBe(1);
  const { toolCalls } = run.getState();
  expect(toolCalls.map(({ toolName, state }) => [toolName, state])).toEqual([
    ...hanging.map(() => ['hang', 'output-error']),
    ['look', 'output-available'],
  ]);
});

test('a call inside a composite tool has a tool’s time limit, which does not count while an agent works in it', async () => {
  const definition = definePrompt('look', (prompt) => {
    prompt.defTool('several', '', [
      tool('hang', '', z.object({}), () => new Promise(() => {})),
      tool(
        'ask',
        '',
        z.object({}),
        async (_args, context) => (await helper.call('Help', { context })).output,
      ),
      tool('look', '', z.object({}), () => 'seen'),
    ]);
    prompt.$`Look.`;
  });
  const helper = defineAgent({
    name: 'helper',
    instructions: 'You help.',
    model: scriptedModel(['Loaded.', [{ delay: 400 }, { text: 'Helped.' }]]),
  });
  // what an agent needs is loaded with its first call
  await helper.call('Load');
  const calls = ['hang', 'ask', 'look'].map((name) => ({ name, args: {} }));
  const model = scriptedModel([[call('several', { calls })], 'Done.']);
  const run = createRun(definition, {
    model,
    executor: inProcess(),
    options: { timeout: { toolMs: 200 } },
  });
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
  const definition = definePrompt('poll', (prompt) => {
    prompt.defTool('plain', '', z.object({}), () => poll('plain'));
    prompt.defTool('noted', '', z.object({}), () => poll('noted'), {
      onSuccess: () => void ended.push('success'),
    });
    prompt.defTool('kit', '', [tool('part', '', z.object({}), () => poll('part'))]);
    prompt.$`Poll.`;
  });
  const calls = [call('plain'), call('noted'), call('kit', { calls: [{ name: 'part', args: {} }] })];
  const run = createRun(definition, {
    model: scriptedModel([calls, 'Done.']),
    executor: inProcess(),
    options: { timeout: { toolMs: 50 } },
  });
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
  const events = inProcess().start(
    {
      definition,
      input: undefined,
      model,
      options: { limits: { concurrentToolCalls: 1 } },
      whenStored({ agent }) {
        if (agent === undefined) return Promise.resolve();
        neverStored.push(agent);
        return new Promise(() => {});
      },
    },
    AbortSignal.timeout(4_000),
  );
  let state = initialState;
  for await (const event of events) state = reduce(state, event);
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
  const request = { definition, input: undefined, model, whenStored: () => after(ms) };
  let state = initialState;
  for await (const event of inProcess().start(request, AbortSignal.timeout(4_000))) {
    state = reduce(state, event);
  }
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
  const request = {
    definition,
    input: undefined,
    model: scriptedModel([[call('save')], 'Never.']),
    whenStored,
  };
  let state = initialState;
  for await (const event of inProcess().start(request, stopping.signal)) state = reduce(state, event);
  await after(30);
  expect(state.status).toBe('stopped');
  expect(ran).toEqual([]);
});
