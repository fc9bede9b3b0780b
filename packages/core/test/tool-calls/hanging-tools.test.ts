import { createRun, definePrompt, inProcess, tool } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';

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
