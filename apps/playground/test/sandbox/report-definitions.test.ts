import { Script } from 'node:vm';
import * as core from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ToHost } from '../../src/sandbox/protocol.ts';
import { agentsModule, coreModule } from '../../src/sandbox/worker/core-module.ts';
import { locateInStack } from '../../src/sandbox/worker/locate-error.ts';
import { createDefinitionReporter } from '../../src/sandbox/worker/report-definitions.ts';
import { watchDefinition } from '../../src/sandbox/worker/watch-definition.ts';
import { compileScript } from '../../src/sandbox/script/compile-script.ts';

const ADDRESS = 'blob:script';
type Turns = Parameters<typeof scriptedModel>[0];
const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input } });

/** Runs a script as the worker does, and returns the lines that it reports, and the text of the answer. */
async function linesOf(source: string, turns: Turns) {
  const model = scriptedModel(turns);
  const { code, locate } = compileScript(source);
  const sent: string[] = [];
  const send = (message: ToHost): void => {
    if (message.type !== 'definition') return;
    const { of, name, agent, at } = message;
    sent.push(`${locate(at).line} ${of} ${agent === undefined ? '' : `${agent}: `}${name}`);
  };
  const watcher = {
    definitions: createDefinitionReporter((error) => locateInStack(error, ADDRESS), send),
    settle: async () => {},
    onError: () => {},
  };
  const agents = agentsModule(model, watcher);
  const modules: Record<string, unknown> = {
    zod: z,
    '@cueline/core': { ...agents, ...coreModule(model, watcher) },
    '@cueline/core/agents': agents,
  };
  const exports: Record<string, unknown> = {};
  const text = `(${code.replace('export default ', '')})`;
  const evaluate = new Script(text, { filename: ADDRESS }).runInThisContext() as (
    require: (name: string) => unknown,
    exports: object,
  ) => Promise<void>;
  await evaluate((name) => modules[name], exports);
  const definition = exports['default'] as core.PromptDefinition<unknown>;
  const { run } = await core.runPrompt(watchDefinition(definition, watcher), { model, input: undefined });
  const state = await run.finished;
  expect(state).toMatchObject({ status: 'done', warnings: [] });
  return sent;
}

test('each definition is reported with its line, also in agents, tasks, plugins and loops', async () => {
  const source = `import { definePlugin, definePrompt, tool } from '@cueline/core';
import { z } from 'zod';
const none = z.object({});
const count = tool('count', 'Counts', none, () => 3);
const notes = definePlugin({ name: 'notes', setup(prompt) {
  prompt.defSystem('notes', 'Take notes.');
  return { defNote: (name: string) => prompt.def(name, 'a note') };
} });
export default definePrompt('all', async (prompt) => {
  const { $, def, defData } = prompt; def('CITY', 'Lisbon'); defData('DATA', [1]);
  prompt.defSystem('You are brief.');
  prompt
    .defTool('files', 'Files', [
      count,
      tool('read', 'Reads', none, () => 1)
    ]);
  prompt.defTools([count]);
  prompt.defAgent('outer', 'Works', none, (_args, agent) => {
    agent.defSystem('role', 'You work.');
    agent.$\`Work.\`;
  });
  prompt.defTaskList([{ task: 'Look', extend: (task) => {
    task.def('TASK', 'one');
    task.$\`Now.\`;
  } }]);
  prompt.defHook(() => {});
  prompt.defNote('NOTE');
  for (const name of ['a', 'b']) $\`
    Hi \${name}.
  \`;
  prompt.defMessage('user', 'Go.');
}, { plugins: [notes] });
`;
  const turns: Turns = [
    [call('startTask')],
    [call('outer')],
    'Worked.',
    [call('finishTask', { result: 'Done.' })],
    'All done.',
  ];
  expect(await linesOf(source, turns)).toEqual([
    '6 system notes',
    '10 variable CITY',
    '10 variable DATA',
    '11 system ',
    '13 tool files',
    '4 tool files.count',
    '15 tool files.read',
    '4 tool count',
    '18 agent outer',
    '22 tasks tasks',
    '26 hook hooks[0]',
    '7 variable NOTE',
    '28 message messages[0]',
    '28 message messages[1]',
    '31 message messages[2]',
    '23 variable TASK',
    '19 system outer: role',
    '20 message outer: messages[0]',
  ]);
});
