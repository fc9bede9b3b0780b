import {
  definePlugin,
  definePrompt,
  runPrompt,
  tool,
  type Prompt,
  type PromptDefinition,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { dynamicTool } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { watchDefinition } from '../../src/sandbox/worker/watch-definition.ts';
import { createToolWatcher } from '../../src/sandbox/worker/watch-tools.ts';
import { noReports } from './no-reports.ts';

const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input } });

/** Runs `define` as the worker does, with the reports of its watcher. */
async function run(
  define: Parameters<typeof definePrompt>[1],
  turns: Parameters<typeof scriptedModel>[0],
  more: Partial<PromptDefinition> = {},
) {
  const heard: string[] = [];
  const plugin = definePlugin({
    name: 'clock',
    setup: (prompt) => prompt.defTool('clock', 'The time', z.object({}), () => fail('stopped')),
  });
  const definition = {
    ...definePrompt('test', define, { model: 'openai:gpt-4o', plugins: [plugin] }),
    ...more,
  };
  const { run: live } = await runPrompt(
    watchDefinition(definition as never, {
      definitions: noReports,
      settle: async () => void heard.push('settle'),
      onError: (error, toolCallId) => heard.push(`${(error as Error).message} ${toolCallId}`),
    }),
    { model: scriptedModel(turns), input: undefined },
  );
  return { state: await live.finished, heard };
}

function fail(message: string): never {
  throw new Error(message);
}

test('tools are watched in plugins, in composite tools and in nested agents', async () => {
  const { state, heard } = await run(
    (prompt) => {
      prompt.defTool('files', 'Files', [tool('read', 'Reads', z.object({}), () => fail('gone'))]);
      prompt.defAgent('outer', 'Works', z.object({}), (_args, outer) => {
        outer.defAgent('inner', 'Works', z.object({}), (_none, inner) => {
          inner.defTool('dig', 'Digs', z.object({}), () => fail('rock'));
          inner.$`Dig.`;
        });
        outer.$`Have it dug.`;
      });
      prompt.$`Go.`;
    },
    [
      [call('clock'), call('files', { calls: [{ name: 'read', args: {} }] })],
      [call('outer')],
      [call('inner')],
      [call('dig')],
      'There is rock.',
      'Rock.',
      'Done.',
    ],
  );
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  expect(heard.filter((line) => line !== 'settle').map((line) => line.split(' ')[0])).toEqual([
    'stopped',
    'gone',
    'rock',
  ]);
  expect(heard.filter((line) => line === 'settle')).toHaveLength(3);
});

test('a tool without a function is a client tool, and a function that is undefined is an error', async () => {
  const asks = { request: expect.objectContaining({ tools: [expect.objectContaining({ name: 'ask' })] }) };
  const { state } = await run(
    (prompt) => {
      prompt.defTool('ask', 'Asks', z.object({}));
      prompt.$`Go.`;
    },
    ['Done.'],
    { plugins: [] },
  );
  expect(state).toMatchObject({ status: 'done', steps: [asks] });
  const missing = run(
    (prompt) => {
      prompt.defTool('ask', 'Asks', z.object({}), undefined as never);
    },
    ['Done.'],
  );
  await expect(missing).rejects.toThrow('The function of tool ask is undefined');
});

test('agents and hooks cannot pick another model by its name', async () => {
  const { state } = await run(
    (prompt) => {
      prompt.defHook(() => ({ model: 'openai:gpt-4o', temperature: 0 }));
      prompt.defAgent('helper', 'Helps', z.object({}), (_args, own) => own.$`Help.`, {
        model: 'openai:gpt-4o',
      });
      prompt.$`Go.`;
    },
    [[call('helper')], 'Helped.', 'Done.'],
  );
  expect(state).toMatchObject({ status: 'done', agents: [{ model: 'simulated:scripted' }] });
  expect(state.steps[0]?.request.settings).toMatchObject({ temperature: 0 });
});

test('tools that a definition declares, and those that a loop policy brings, are watched', async () => {
  const ready = (message: string) => dynamicTool({ inputSchema: z.object({}), execute: () => fail(message) });
  const { state, heard } = await run(
    (prompt) => {
      prompt.defAgent('helper', 'Helps', z.object({}), (_args, own) => own.$`Help.`, {
        tools: { ofAgent: ready('deep') },
      });
      prompt.$`Go.`;
    },
    [
      [call('declared'), call('ready'), call('made')],
      [call('helper')],
      [call('ofAgent')],
      'Helped.',
      'Done.',
    ],
    {
      tools: [tool('declared', 'Fails', z.object({}), () => fail('one'))],
      policySetup: async () => ({
        options: { tools: { ready: ready('two') } },
        define: (prompt: Prompt) => prompt.defTool('made', 'Fails', z.object({}), () => fail('three')),
        policy: () => ({ cause: 'session' }),
      }),
    },
  );
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  const errors = heard.filter((line) => line !== 'settle').map((line) => line.split(' ')[0]);
  expect(new Set(errors)).toEqual(new Set(['one', 'two', 'three', 'deep']));
  expect(heard.filter((line) => line === 'settle')).toHaveLength(4);
});

test('an error that a loop policy throws before the run begins is reported as the error of the script', async () => {
  const heard: unknown[] = [];
  const definition = {
    ...definePrompt('test', () => {}),
    policySetup: () => Promise.reject(new Error('no such thing')),
  };
  const watched = watchDefinition(definition as never, {
    definitions: noReports,
    settle: async () => {},
    onError: (error) => heard.push((error as Error).message),
  });
  await expect(runPrompt(watched, { model: scriptedModel([]), input: undefined })).rejects.toMatchObject({
    code: 'script_error',
    message: 'no such thing',
  });
  expect(heard).toEqual(['no such thing']);
});

test('a tool that is already watched is reported once', () => {
  const heard: string[] = [];
  const watcher = createToolWatcher({ settle: async () => {}, onError: () => heard.push('error') });
  const [named] = watcher.list([tool('once', 'Once', z.object({}), () => 1)]);
  expect(watcher.list([named])[0]?.fn).toBe(named?.fn);
  expect(watcher.byName({ provided: { type: 'provider' } as never })).toEqual({
    provided: { type: 'provider' },
  });
});
