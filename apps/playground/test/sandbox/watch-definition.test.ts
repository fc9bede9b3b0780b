import { definePlugin, definePrompt, runPrompt, tool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { watchDefinition } from '../../src/sandbox/worker/watch-definition.ts';

const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input } });

/** A run of `define` as the worker runs it, with what its watcher heard. */
async function run(define: Parameters<typeof definePrompt>[1], turns: Parameters<typeof scriptedModel>[0]) {
  const heard: string[] = [];
  const plugin = definePlugin({
    name: 'clock',
    setup: (prompt) => prompt.defTool('clock', 'The time', z.object({}), () => fail('stopped')),
  });
  const definition = definePrompt('test', define, { model: 'openai:gpt-4o', plugins: [plugin] });
  const { run: live } = await runPrompt(
    watchDefinition(definition as never, {
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

test('tools are watched wherever they stand: in plugins, in composite tools, in agents of agents', async () => {
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
