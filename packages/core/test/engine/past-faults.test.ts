// Faults that programs like this one have had. None of them may come back, so each has a test by its name.
import { type Hook, type Prompt, type PromptSource } from '@cueline/core';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, go, play } from '../support.ts';
import { after } from '../support/runs.ts';

/** Some of everything that a prompt can define. */
const everything = (prompt: Prompt): void => {
  prompt.def('TOPIC', 'tides');
  prompt.defData('FACTS', { moon: 1 });
  prompt.defSystem('role', 'Helper.');
  prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }) => n);
  prompt.$`Go.`;
};
/** All of that, and what `define` defines. */
const everythingAnd = (define: (prompt: Prompt) => unknown) => (prompt: Prompt) => {
  everything(prompt);
  define(prompt);
};
const everythingSaid = `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<TOPIC>tides</TOPIC>
<FACTS>
moon: 1
</FACTS>

role:
Helper.`;

test('options.system follows the definitions, also with hooks and a task list', async () => {
  const sources: ((prompt: Prompt) => void)[] = [
    everything,
    everythingAnd((prompt) => prompt.defHook(({ messages }) => ({ messages }))),
    everythingAnd((prompt) => prompt.defDynamicTaskList()),
  ];
  for (const source of sources) {
    const { model } = await play(source, ['Done.'], { options: { system: 'Be brief.' } });
    expect(sent(model)[0]!.system).toBe(`${everythingSaid}\n\nBe brief.`);
  }
});

test('a task list leaves the system prompt as it is', async () => {
  const { model, state } = await play(
    everythingAnd((prompt) => prompt.defTaskList([{ task: 'One' }, { task: 'Two' }])),
    [[call('finishTask', { result: '1' })], [call('finishTask', { result: '2' })], 'Done.'],
  );
  expect(state.status).toBe('done');
  expect(sent(model).map(({ system }) => system)).toEqual(Array(3).fill(everythingSaid));
});

test('a tool may return { response, steps } unchanged', async () => {
  const output = { response: 'ok', steps: [1, 2], text: 't', toolCalls: [], messages: ['m'] };
  const { model, state } = await play(
    go((prompt) => prompt.defTool('plan', '', z.object({}), () => output)),
    [[call('plan')], 'Done.'],
  );
  expect(state.toolCalls[0]!.output).toEqual(output);
  expect(sent(model)[1]!.messages.at(-1)).toBe(`plan answers ${JSON.stringify(output)}`);
});

test('variables of asynchronous hooks apply', async () => {
  const { model, state } = await play(
    everythingAnd((prompt) => {
      prompt.defHook(async ({ stepNumber, variables }) => {
        await after(2);
        return { variables: { ...variables, STEP: { type: 'string', value: `now ${stepNumber}` } } };
      });
      prompt.defHook(async ({ variables }) => {
        await Promise.resolve();
        return { variables: { ECHO: { type: 'data', value: { step: variables['STEP']!.value } } } };
      });
    }),
    [[call('look', { n: 1 })], 'Done.'],
  );
  expect(sent(model).map(({ system }) => /<STEP>[^]*<\/ECHO>/.exec(system!)?.[0])).toEqual([
    '<STEP>now 0</STEP>\n<ECHO>\nstep: now 0\n</ECHO>',
    '<STEP>now 1</STEP>\n<ECHO>\nstep: now 1\n</ECHO>',
  ]);
  expect(state.variables['STEP']).toEqual({ kind: 'text', value: 'now 1' });
});

test.each<[string, Hook]>([
  ['returns undefined', () => undefined],
  ['returns nothing', () => {}],
  ['resolves to nothing', async () => {}],
  ['returns null', (() => null) as unknown as Hook],
  [
    'returns undefined for each setting',
    () => ({
      system: undefined,
      activeTools: undefined,
      messages: undefined,
      variables: undefined,
      model: undefined,
    }),
  ],
])('a hook that %s changes nothing', async (_name, hook) => {
  const { model, state } = await play(
    everythingAnd((prompt) => prompt.defHook(hook)),
    ['Done.'],
  );
  expect(state.status).toBe('done');
  expect(sent(model)).toEqual([{ system: everythingSaid, messages: ['user: Go.'], tools: ['look'] }]);
});

describe('process.env', () => {
  test('is not read when a module is imported', async () => {
    const { env } = process;
    const readers: string[] = [];
    vi.resetModules();
    Object.defineProperty(process, 'env', {
      configurable: true,
      enumerable: true,
      get() {
        const caller = new Error('read').stack?.split('\n').find((line) => line.includes('/core/src/'));
        if (caller !== undefined) readers.push(caller);
        return env;
      },
    });
    try {
      const core = await import('@cueline/core');
      await import('@cueline/core/models');
      await import('@cueline/core/testing');
      expect(readers).toEqual([]);
      // so that nothing was read because nothing looked
      await core.runPrompt((prompt) => prompt.$`Go.`, { model: 'nobody:at-home' }).catch(() => {});
      expect(readers).not.toEqual([]);
    } finally {
      Object.defineProperty(process, 'env', {
        configurable: true,
        enumerable: true,
        writable: true,
        value: env,
      });
    }
  });
});

test('finishTask after the last task gets an answer, and the run ends as done', async () => {
  const list: PromptSource = (prompt) => {
    prompt.defTaskList([{ task: 'Only' }]);
    prompt.$`Go.`;
  };
  const { model, state } = await play(list, [
    [call('finishTask', { result: '1' }), call('finishTask', { result: '2' })],
    [call('finishTask', { result: '3' }), call('startTask')],
    'Done.',
  ]);
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  expect(state.toolCalls.map(({ output }) => output)).toEqual([
    '✓ All tasks completed successfully! The task list is complete.',
    'The result of Task 1/1 is being validated. Wait for what comes of it.',
    'All tasks are completed. Give your final answer.',
    'All tasks are completed. Give your final answer.',
  ]);
  expect(state.tasks).toMatchObject([{ status: 'completed', result: '1' }]);
  expect(sent(model)).toHaveLength(3);
});
