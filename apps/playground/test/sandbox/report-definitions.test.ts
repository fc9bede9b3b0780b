import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import type { ToHost } from '../../src/sandbox/protocol.ts';
import { createDefinitionReporter } from '../../src/sandbox/worker/report-definitions.ts';
import { describeLine, runScript } from './run-script.ts';

type Turns = Parameters<typeof scriptedModel>[0];
const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input } });

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
  const { lines, state } = await runScript(source, scriptedModel(turns));
  expect(state).toMatchObject({ status: 'done', warnings: [], text: 'All done.' });
  expect(lines.map(describeLine)).toEqual([
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

test('a definition without a known line is left out, and a script that changes Error does not break its run', async () => {
  const source = `import { definePrompt } from '@cueline/core';
Error.prepareStackTrace = () => { throw new Error('mine'); };
export default definePrompt('strange', async (prompt) => {
  prompt.def('CITY', 'Lisbon');
  delete (Error as any).prepareStackTrace;
  prompt.$\`Hi.\`;
});
`;
  const limit = Error.stackTraceLimit;
  const { lines, state } = await runScript(source, scriptedModel(['Hello.']));
  expect(state).toMatchObject({ status: 'done', text: 'Hello.', variables: { CITY: { value: 'Lisbon' } } });
  expect(lines.map(describeLine)).toEqual(['6 message messages[0]']);
  expect(Error.stackTraceLimit).toBe(limit);
});

test('a definition is sent once for each line, and no more than 1,000 are located', () => {
  const sent: ToHost[] = [];
  let located = 0;
  const reporter = createDefinitionReporter(
    () => ({ line: (located += 1) }),
    (message) => sent.push(message),
  );
  reporter.made(reporter);
  for (let index = 0; index < 10; index += 1) reporter.report('tool', 'same', undefined, reporter);
  reporter.report('variable', 'x'.repeat(201));
  reporter.report('variable', { toString: () => 'name' });
  expect(sent).toEqual([{ type: 'definition', of: 'tool', name: 'same', at: { line: 1 } }]);
  for (let index = 0; index < 2_000; index += 1) reporter.report('variable', `V${index}`);
  expect([located, sent.length]).toEqual([1_000, 1_000]);
});
