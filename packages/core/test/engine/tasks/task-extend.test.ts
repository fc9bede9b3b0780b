// What a task's `extend` defines is there for that task alone, whatever else happens in the same step.
import type { Prompt, PromptSource, TaskListHandle } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../../sent-requests.ts';
import { call, go, play, throwing } from '../../support.ts';

/** Two tasks with a tool of one name, which does something else in each. */
const twoCalculators =
  (order: string[] = []): PromptSource =>
  (prompt) => {
    const calculator = (word: string, compute: (a: number, b: number) => number) => (own: Prompt) => {
      order.push(`extend ${word}`);
      own.defTool('calculator', word, z.object({ a: z.number(), b: z.number() }), ({ a, b }) => {
        order.push(word);
        return `${word}: ${compute(a, b)}`;
      });
    };
    prompt.defTaskList([
      { task: 'Add', extend: calculator('plus', (a, b) => a + b) },
      { task: 'Multiply', extend: calculator('times', (a, b) => a * b) },
    ]);
    prompt.$`Go.`;
  };
const compute = (a: number, b: number) => call('calculator', { a, b });
const finish = (result: string) => call('finishTask', { result });

describe('two tasks that define the same tool', () => {
  test('each step has the tool of its task', async () => {
    const order: string[] = [];
    const { model, state } = await play(twoCalculators(order), [
      [compute(2, 5)],
      [finish('7')],
      [compute(2, 5)],
      [finish('10')],
      'Done.',
    ]);
    expect(state.status).toBe('done');
    const descriptions = model.calls.map(({ tools }) =>
      tools?.flatMap((tool) =>
        tool.name === 'calculator' ? [(tool as { description: string }).description] : [],
      ),
    );
    expect(descriptions).toEqual([['plus'], ['plus'], ['times'], ['times'], []]);
    expect(state.toolCalls.map(({ output }) => output)).toEqual([
      'plus: 7',
      '✓ Task completed successfully!\n\nNext task: Multiply',
      'times: 10',
      '✓ All tasks completed successfully! The task list is complete.',
    ]);
    // a call of the same name and arguments is another call where the tool is another
    expect(order).toEqual(['extend plus', 'plus', 'extend times', 'times']);
  });

  test.each([
    ['after', [finish('7'), compute(2, 5)]],
    ['before', [compute(2, 5), finish('7')]],
  ])(
    'a call %s the one that finishes a task, in the same answer, uses the tool of the old task',
    async (_where, step) => {
      const { model, state, events } = await play(twoCalculators(), [
        step,
        [compute(3, 5), finish('15')],
        'Done.',
      ]);
      expect(state.status).toBe('done');
      const answers = state.toolCalls.flatMap((c) => (c.toolName === 'calculator' ? [c.output] : []));
      expect(answers).toEqual(['plus: 7', 'times: 15']);
      // the second task has not begun by the call that belongs to the first
      expect(sent(model)[1]!.messages).toEqual([
        'user: Go.',
        'user: Completed tasks:\n1. Add → 7\n\n[Task 2/2] Multiply',
      ]);
      const updates = events.flatMap((e) => (e.type === 'task-update' ? [`${e.taskId} ${e.status}`] : []));
      expect(updates).toEqual([
        'task-1 in_progress',
        'task-1 validating',
        'task-1 completed',
        'task-2 in_progress',
        'task-2 validating',
        'task-2 completed',
      ]);
    },
  );
});

test('a call that waits until the task is finished still belongs to that task', async () => {
  const { state, events } = await play(
    twoCalculators(),
    [[finish('7'), compute(2, 5)], [finish('10')], 'Done.'],
    {
      options: { limits: { concurrentToolCalls: 1 } },
    },
  );
  const order = events.flatMap((event) => {
    if (event.type === 'task-update') return [`${event.taskId} ${event.status}`];
    return event.type === 'tool-start' || event.type === 'step-start' ? [event.type] : [];
  });
  expect(order).toEqual([
    'step-start',
    'tool-start',
    'task-1 in_progress',
    'task-1 validating',
    'task-1 completed',
    'tool-start',
    'step-start',
    'tool-start',
    'task-2 in_progress',
    'task-2 validating',
    'task-2 completed',
    'step-start',
  ]);
  expect(state.toolCalls[1]!.output).toBe('plus: 7');
});

test('the same call for each of many tasks is not a loop', async () => {
  const { run } = await play(
    go((prompt) => {
      prompt.defTool('list', '', z.object({}), () => 'a.txt', { effect: 'read' });
      prompt.defTaskList(Array.from({ length: 8 }, (_, index) => ({ task: `Task of day ${index + 1}` })));
    }),
    [...Array.from({ length: 8 }, () => [call('list'), finish('a.txt')]), 'Done.'],
  );
  expect(run.getState().status).toBe('done');
  expect(run.getState().toolCalls.filter(({ state }) => state !== 'output-available')).toEqual([]);
});

test('a task’s tool is removed after its task, and a call of it gets an error with the tools that exist', async () => {
  const { model, run } = await play(
    go((prompt) =>
      prompt.defTaskList([
        { task: 'One', extend: (own) => own.defTool('only', '', z.object({}), () => 'mine') },
        { task: 'Two' },
      ]),
    ),
    [[call('only'), finish('1')], [call('only')], [finish('2')], 'Done.'],
  );
  expect(run.getState().status).toBe('done');
  expect(sent(model).map(({ tools }) => tools.includes('only'))).toEqual([true, false, false, false]);
  expect(run.getState().toolCalls.map(({ toolName, state }) => `${toolName} ${state}`)).toEqual([
    'only output-available',
    'finishTask output-available',
    'only output-error',
    'finishTask output-available',
  ]);
  expect(run.getState().toolCalls[2]!.errorText).toContain('startTask, finishTask');
});

test('a task’s tool replaces the prompt’s tool of the same name while the task is current', async () => {
  const { model, state } = await play(
    go((prompt) => {
      prompt.defTool('look', 'far', z.object({ n: z.number() }), () => 'a hill');
      prompt.def('UNIT', 'metres');
      prompt.defSystem('role', 'Helper.');
      prompt.defTaskList([
        {
          task: 'Near',
          extend(own) {
            own.defTool('look', 'near', z.object({ n: z.number() }), () => 'a stone');
            own.def('UNIT', 'inches');
            own.defSystem('role', 'Geologist.');
          },
        },
        { task: 'Far' },
      ]);
    }),
    [[call('look', { n: 1 }), finish('1')], [call('look', { n: 2 }), finish('2')], 'Done.'],
  );
  expect(sent(model).map(({ system }) => system?.split('\n').slice(2))).toEqual([
    ['<UNIT>inches</UNIT>', '', 'role:', 'Geologist.'],
    ['<UNIT>metres</UNIT>', '', 'role:', 'Helper.'],
    ['<UNIT>metres</UNIT>', '', 'role:', 'Helper.'],
  ]);
  expect(state.toolCalls.flatMap((c) => (c.toolName === 'look' ? [c.output] : []))).toEqual([
    'a stone',
    'a hill',
  ]);
});

test('a task’s hooks, agents and messages exist for that task alone', async () => {
  const { model, state } = await play(
    go((prompt) => {
      prompt.defHook(() => ({ system: 'base' }));
      prompt.defTaskList([
        {
          task: 'One',
          async extend(own) {
            await Promise.resolve();
            own.defHook(({ system }) => ({ system: `${system as string}+task` }));
            own.defAgent('expert', '', z.object({}), (_args, agent) => agent.$`Well?`);
            own.$`Mind the gap.`;
          },
        },
        { task: 'Two' },
      ]);
    }),
    [[call('expert')], 'Hm.', [finish('1')], [finish('2')], 'Done.'],
  );
  expect(state.status).toBe('done');
  expect(sent(model).map(({ system, tools }) => [system, tools.join()])).toEqual([
    ['base+task', 'startTask,finishTask,expert'],
    [undefined, ''],
    ['base+task', 'startTask,finishTask,expert'],
    ['base', 'startTask,finishTask'],
    ['base', 'startTask,finishTask'],
  ]);
  expect(sent(model).map(({ messages }) => messages.includes('user: Mind the gap.'))).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
});

test('extend receives the messages that would be sent to the model', async () => {
  const seen: unknown[] = [];
  await play(
    go((prompt) =>
      prompt.defTaskList([
        { task: 'One', extend: (_own, messages) => void seen.push(messages.map(({ content }) => content)) },
        { task: 'Two', extend: (_own, messages) => void seen.push(messages.map(({ content }) => content)) },
      ]),
    ),
    [[call('startTask')], [finish('1')], [finish('2')], 'Done.'],
  );
  expect(seen).toEqual([
    ['Go.', '[Task 1/2] One\n\nUpcoming tasks:\n2. Two'],
    ['Go.', 'Completed tasks:\n1. One → 1\n\n[Task 2/2] Two'],
  ]);
});

test('extend runs once each time that its task becomes current', async () => {
  const order: string[] = [];
  let list: TaskListHandle | undefined;
  const { state } = await play(
    go((prompt) => {
      const note = (name: string) => () => void order.push(name);
      list = prompt.defTaskList([
        { task: 'One', extend: note('one') },
        { task: 'Two', extend: note('two') },
      ]);
      // during the task's own step, the user retries the first task
      prompt.defTool('again', '', z.object({}), () => list?.edit({ type: 'retry', taskId: 'task-1' }));
    }),
    [[call('startTask')], [finish('1')], [call('again')], [finish('1, again')], [finish('2')], 'Done.'],
  );
  expect(state.status).toBe('done');
  expect(order).toEqual(['one', 'two', 'one', 'two']);
  expect(list!.tasks.map(({ result }) => result)).toEqual(['1, again', '2']);
});

describe('errors in extend', () => {
  const withExtend =
    (extend: (prompt: Prompt) => void | Promise<void>): PromptSource =>
    (prompt) => {
      prompt.defTool('look', '', z.object({}), () => 'seen');
      prompt.defTaskList([{ task: 'One', extend }]);
      prompt.$`Go.`;
    };

  test.each<[string, (prompt: Prompt) => void | Promise<void>, string, string]>([
    [
      'an error that it throws',
      throwing(new TypeError('x is not a function')),
      'script_error',
      'x is not a function',
    ],
    ['a rejection', () => Promise.reject(new Error('no file')), 'script_error', 'no file'],
    ['a task list', (prompt) => void prompt.defDynamicTaskList(), 'invalid_definition', 'defAgent'],
    [
      'a tool with the name of a task tool',
      (prompt) => prompt.defTool('finishTask', '', z.object({}), () => 'done'),
      'invalid_definition',
      'A tool named finishTask already exists',
    ],
    [
      'two tools with one name',
      (prompt) => {
        prompt.defTool('a', '', z.object({}), () => 1);
        prompt.defTool('a', '', z.object({}), () => 2);
      },
      'invalid_definition',
      'A tool named a already exists',
    ],
  ])('%s ends the run with an error that names the task', async (_what, extend, code, message) => {
    const { model, state } = await play(withExtend(extend), ['Never.']);
    expect(state).toMatchObject({ status: 'error', error: { code } });
    expect(state.error?.message).toContain(message);
    expect(model.calls).toHaveLength(0);
  });
});

test('a tool’s definition belongs to the task or the prompt on which it is made', async () => {
  const { model } = await play(
    go((prompt) =>
      prompt.defTaskList([
        {
          task: 'One',
          extend(own) {
            own.defTool('learn', '', z.object({}), () => {
              own.def('TASK_FACT', 'dry');
              own.defTool('mine', '', z.object({}), () => 'mine');
              own.defSystem('rules', 'mind the rain');
              prompt.def('FACT', 'wet');
              prompt.defTool('more', '', z.object({}), () => 'more');
              return 'ok';
            });
          },
        },
        { task: 'Two' },
      ]),
    ),
    [[call('learn')], [finish('1')], [finish('2')], 'Done.'],
  );
  expect(sent(model).map(({ tools }) => tools.toSorted().join())).toEqual([
    'finishTask,learn,startTask',
    'finishTask,learn,mine,more,startTask',
    'finishTask,more,startTask',
    'finishTask,more,startTask',
  ]);
  expect(
    sent(model).map(({ system = '' }) =>
      ['FACT>wet', 'TASK_FACT>dry', 'mind the rain'].map((fact) => system.includes(fact)),
    ),
  ).toEqual([
    [false, false, false],
    [true, true, true],
    [true, false, false],
    [true, false, false],
  ]);
});
