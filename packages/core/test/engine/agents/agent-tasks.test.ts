import { definePlugin, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { sent, transcript } from '../../sent-requests.ts';
import { call, go, play } from '../../support.ts';
import { none } from '../../support/agent-trees.ts';

test('an agent inside a task has its own task list, hooks and plugins', async () => {
  const ruler = definePlugin({
    name: 'ruler',
    setup(prompt) {
      prompt.defTool('measure', '', none, () => '7 cm');
      return { unit: (name: string) => prompt.def('UNIT', name) };
    },
  });
  const { model, state } = await play(
    go((prompt) =>
      prompt.defTaskList([
        {
          task: 'Ask the surveyor',
          extend(own) {
            own.defAgent(
              'surveyor',
              '',
              none,
              (_args, agent) => {
                agent.unit('cm');
                agent.defTaskList([{ task: 'Measure' }, { task: 'Report' }]);
                agent.defHook(({ stepNumber }) => ({
                  variables: { STEP: { type: 'string', value: String(stepNumber) } },
                }));
                agent.$`Survey.`;
              },
              { plugins: [ruler] },
            );
          },
        },
        { task: 'Write it down' },
      ]),
    ),
    [
      [call('surveyor')],
      [call('measure'), call('finishTask', { result: '7' })],
      [call('finishTask', { result: 'reported' })],
      'It is 7 cm.',
      [call('finishTask', { result: '7 cm' })],
      [call('finishTask', { result: 'written' })],
      'Done.',
    ],
  );
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  expect(transcript(sent(model))).toMatchInlineSnapshot(`
    "--- call 1
    tools: startTask, finishTask, surveyor
    user: Go.
    user: [Task 1/2] Ask the surveyor

    Upcoming tasks:
    2. Write it down
    --- call 2
    system: Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <UNIT>cm</UNIT>
    <STEP>0</STEP>
    tools: measure, startTask, finishTask
    user: Survey.
    user: [Task 1/2] Measure

    Upcoming tasks:
    2. Report
    --- call 3
    system: Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <UNIT>cm</UNIT>
    <STEP>1</STEP>
    1 message as before
    user: Completed tasks:
    1. Measure → 7

    [Task 2/2] Report
    --- call 4
    system: Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <UNIT>cm</UNIT>
    <STEP>2</STEP>
    1 message as before
    user: Completed tasks:
    1. Measure → 7
    2. Report → reported

    All tasks are completed. Give your final answer.
    assistant calls finishTask {"result":"reported"}
    finishTask answers ✓ All tasks completed successfully! The task list is complete.
    --- call 5
    system: none
    tools: startTask, finishTask, surveyor
    user: Go.
    user: [Task 1/2] Ask the surveyor

    Upcoming tasks:
    2. Write it down
    assistant calls surveyor {}
    surveyor answers It is 7 cm.
    --- call 6
    tools: startTask, finishTask
    1 message as before
    user: Completed tasks:
    1. Ask the surveyor → 7 cm

    [Task 2/2] Write it down
    --- call 7
    1 message as before
    user: Completed tasks:
    1. Ask the surveyor → 7 cm
    2. Write it down → written

    All tasks are completed. Give your final answer.
    assistant calls finishTask {"result":"written"}
    finishTask answers ✓ All tasks completed successfully! The task list is complete."
  `);
  const [agent] = state.agents;
  expect(agent!.tasks.map(({ id, title, status }) => [id, title, status])).toEqual([
    ['task-1', 'Measure', 'completed'],
    ['task-2', 'Report', 'completed'],
  ]);
  expect(state.tasks.map(({ title, result }) => [title, result])).toEqual([
    ['Ask the surveyor', '7 cm'],
    ['Write it down', 'written'],
  ]);
  expect(agent!.variables).toEqual({
    UNIT: { kind: 'text', value: 'cm' },
    STEP: { kind: 'text', value: '2' },
  });
  expect(state.variables).toEqual({});
});

test('the call of an agent whose tasks stay open fails', async () => {
  const { model, state } = await play(
    go((prompt) =>
      prompt.defAgent('lazy', '', none, (_args, own) => {
        own.defTaskList([{ task: 'Work' }], { maxNudges: 1 });
        own.$`Go.`;
      }),
    ),
    [[call('lazy')], 'No.', 'Still no.', 'It is lazy.'],
  );
  expect(state).toMatchObject({
    status: 'done',
    agents: [{ status: 'error', error: { code: 'tasks_incomplete' } }],
  });
  expect(sent(model)[3]!.messages.at(-1)).toBe(
    'lazy fails: The agent lazy gave no answer: The model stopped with a task open: “Work”. Try another model, or raise maxNudges.',
  );
});

test('an edit reaches the tasks of an agent by its path, also in the listener that receives them', async () => {
  const model = scriptedModel([[call('worker')], [call('finishTask', { result: '1' })], 'Done.', 'Done.']);
  const { run } = await runPrompt(
    go((prompt) =>
      prompt.defAgent('worker', '', none, (_args, own) => {
        own.defTaskList([{ task: 'One' }, { task: 'Two' }]);
        own.$`Go.`;
      }),
    ),
    { model },
  );
  const replies: unknown[] = [];
  run.listen((event) => {
    if (event.type === 'task-add' && event.task.id === 'task-1') {
      replies.push(run.edit({ type: 'rename', taskId: 'task-1', title: 'Other' }, event.agent));
    }
    if (event.type !== 'step-start' || event.agent === undefined || event.step !== 0) return;
    replies.push(run.edit({ type: 'skip', taskId: 'task-2' }, 'call-0-0'));
    replies.push(run.edit({ type: 'skip', taskId: 'task-2' }));
    replies.push(run.edit({ type: 'skip', taskId: 'task-2' }, 'elsewhere'));
  });
  const state = await run.finished;
  expect(await Promise.all(replies)).toEqual([
    { accepted: true },
    { accepted: true },
    { accepted: false, reason: 'The run has no task list.' },
    { accepted: false, reason: 'The agent elsewhere has no task list.' },
  ]);
  expect(state.status).toBe('done');
  expect(state.agents[0]!.tasks.map(({ title, status }) => [title, status])).toEqual([
    ['Other', 'completed'],
    ['Two', 'skipped'],
  ]);
  expect(sent(model)[1]!.messages.join()).toContain('[Task 1/2] Other');
});
