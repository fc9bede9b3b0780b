import { createRun, definePrompt, type Prompt, type PromptOptions } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../../sent-requests.ts';
import { call, go, play, throwing } from '../../support.ts';
import { nextEvent } from '../../support/runs.ts';

const finish = (result: string) => call('finishTask', { result });

describe('a task that the model starts beside other calls', () => {
  const sends = (prompt: Prompt): void => {
    prompt.defDynamicTaskList();
    prompt.defTool('sendMail', '', z.object({}), () => 'The mail is sent.', { effect: 'external' });
  };

  test('has their results in its window', async () => {
    const { model, state } = await play(go(sends), [
      [
        call('createTask', { description: 'A' }),
        call('createTask', { description: 'B' }),
        call('startTask', { taskId: 'task-1' }),
      ],
      [
        call('completeTask', { taskId: 'task-1', result: 'a' }),
        call('startTask', { taskId: 'task-2' }),
        call('sendMail'),
      ],
      [call('completeTask', { taskId: 'task-2', result: 'b' })],
      'Done.',
    ]);
    expect(state.status).toBe('done');
    const [, second, third] = sent(model).map(({ messages }) => messages.join('\n'));
    expect(second).not.toContain('createTask');
    expect(third).toContain('The mail is sent.');
  });
});

test('a task that the user adds in a later turn is not taken for a removed one of the author', async () => {
  let go = (): void => {};
  const work = definePrompt('work', (prompt) => {
    prompt.defTool(
      'wait',
      '',
      z.object({}),
      () => new Promise<string>((resolve) => (go = () => resolve('ok'))),
      {
        effect: 'read',
      },
    );
    prompt.defTaskList([
      { task: 'A' },
      { task: 'Calculate', validation: (result) => (result === '42' ? undefined : 'not 42') },
    ]);
    prompt.$`Go.`;
  });
  const model = scriptedModel([
    [call('wait')],
    [finish('a')],
    'One.',
    [call('wait')],
    [finish('Snow falls.')],
    'Two.',
  ]);
  const run = createRun(work, { model });
  for (const [act, edit] of [
    [() => run.start(), { type: 'remove', taskId: 'task-2' }],
    [() => run.send('More.'), { type: 'add', title: 'Write a haiku' }],
  ] as const) {
    const begun = nextEvent(run, 'tool-start');
    const result = act();
    await begun;
    expect(await run.edit(edit)).toEqual({ accepted: true });
    go();
    await result;
  }
  expect(run.getState().tasks).toMatchObject([
    { id: 'task-1', status: 'completed' },
    { id: 'task-3', status: 'completed', result: 'Snow falls.' },
  ]);
});

describe('a run that does not end as done', () => {
  const two = go((prompt) => prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]));
  const incomplete = (message: string, details: object = {}) => ({
    status: 'error',
    error: { code: 'tasks_incomplete', message, details },
  });

  test('ends with tasks_incomplete after three reminders', async () => {
    const { model, result, state } = await play(two, ['No.', 'No.', 'No.', 'No.', 'Never.']);
    expect(model.calls).toHaveLength(4);
    expect(state).toMatchObject(
      incomplete(
        'The model stopped with 2 tasks open: “One”, “Two”. Try another model, or raise maxNudges.',
        { open: ['task-1', 'task-2'] },
      ),
    );
    expect(state.steps.map(({ steered }) => steered?.map(({ cause }) => cause))).toEqual([
      undefined,
      ['tasks'],
      ['tasks'],
      ['tasks'],
    ]);
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'tasks_incomplete' });
  });

  test('names the first twenty of many open tasks, and cuts their titles', async () => {
    const tasks = Array.from({ length: 200 }, (_, index) => ({ task: `${index} ${'long '.repeat(100)}` }));
    const { state } = await play(
      go((prompt) => prompt.defTaskList(tasks, { maxNudges: 0 })),
      ['No.'],
    );
    const { message = '' } = state.error ?? {};
    expect(message).toMatch(/^The model stopped with 200 tasks open: “0 long .*” and 180 more\. Try another/);
    expect(message.length).toBeLessThan(2_500);
  });

  test('counts reminders from 0 again when the model makes progress', async () => {
    const { state } = await play(
      go((prompt) => prompt.defTaskList([{ task: 'One' }, { task: 'Two' }], { maxNudges: 1 })),
      ['No.', [finish('1')], 'No.', [finish('2')], 'Done.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  });

  test('fails at once when five refused results fail a task', async () => {
    const { model, state } = await play(
      go((prompt) => prompt.defTaskList([{ task: 'One', validation: () => 'Wrong.' }, { task: 'Two' }])),
      [...Array.from({ length: 5 }, (_, n) => [finish(`${n}`)]), 'Never.'],
    );
    expect(model.calls).toHaveLength(5);
    expect(state).toMatchObject(
      incomplete(
        'The task “One” failed after 5 attempts. Try another model, or raise maxAttempts. Last feedback: Wrong.',
        { taskId: 'task-1', open: ['task-2'] },
      ),
    );
    expect(state.tasks.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['failed', 5],
      ['pending', 0],
    ]);
  });

  test('can be ended by options.stopWhen, and the state names open tasks', async () => {
    const options = { stopWhen: () => true };
    const { state } = await play(two, [[finish('1')], 'Never.'], { options });
    expect(state).toMatchObject(
      incomplete('stopWhen stopped the model with a task open: “Two”. Write a condition that is met later.'),
    );
  });

  test('names a call of a tool without execute as the reason', async () => {
    const { state } = await play(
      go((prompt) => prompt.defTaskList([{ task: 'One' }])),
      [[call('ask')], 'Never.'],
      { options: { tools: { ask: { inputSchema: z.object({}) } } } },
    );
    expect(state).toMatchObject(
      incomplete(
        'A call of a tool without execute stopped the model with a task open: “One”. Give that tool an execute, or define it with prompt.defTool if the page has its function.',
      ),
    );
  });
});

describe('the validation of a result', () => {
  test.each<[string, (result: string) => unknown, string]>([
    ['its return value', () => 'Too short.', 'Too short.'],
    ['its resolved value', async () => 'Too short.', 'Too short.'],
    ['its error', throwing(new Error('Too short.')), 'Too short.'],
    ['its rejection', () => Promise.reject(new Error('Too short.')), 'Too short.'],
    ['a string that it throws', () => Promise.reject('Too short.'), 'Too short.'],
    ['false', () => false, 'The result is not right.'],
  ])('%s becomes the feedback', async (_what, validation, feedback) => {
    let first = true;
    const { state } = await play(
      go((prompt) =>
        prompt.defTaskList([
          {
            task: 'One',
            validation: (result) => {
              if (!first) return undefined;
              first = false;
              return validation(result) as string;
            },
          },
        ]),
      ),
      [[finish('a')], [finish('b')], 'Done.'],
    );
    expect(state.status).toBe('done');
    expect(state.toolCalls.map(({ output }) => output)).toEqual([
      `Validation failed: ${feedback}\n\nPlease review the task and provide a corrected result.`,
      '✓ All tasks completed successfully! The task list is complete.',
    ]);
  });

  test('is cut to 10,000 characters', async () => {
    const { model } = await play(
      go((prompt) =>
        prompt.defTaskList([
          { task: 'One', validation: (result) => (result === 'a' ? 'x'.repeat(1e6) : undefined) },
        ]),
      ),
      [[finish('a')], [finish('b')], 'Done.'],
    );
    expect(JSON.stringify(model.calls[1]!.prompt).length).toBeLessThan(21_500);
  });

  test('counts as a refusal if it exceeds the time limit of tools, and its late outcome changes nothing', async () => {
    let settle = (_feedback?: string): void => {};
    const validation = (result: string): Promise<string | undefined> | undefined => {
      if (result === 'a') return new Promise((resolve) => (settle = resolve));
      settle('Too late.');
      return undefined;
    };
    const { model, state } = await play(
      go((prompt) => prompt.defTaskList([{ task: 'One', validation }])),
      [[finish('a')], [finish('b')], 'Done.'],
      { options: { timeout: { toolMs: 20 } } },
    );
    expect(state).toMatchObject({
      status: 'done',
      tasks: [{ status: 'completed', attempts: 1, result: 'b' }],
    });
    expect(state.toolCalls.map(({ output, errorText }) => errorText ?? output)).toEqual([
      'finishTask took longer than 20 ms, so it was ended.',
      '✓ All tasks completed successfully! The task list is complete.',
    ]);
    expect(sent(model)[1]!.messages).toContain(
      'user: [Task 1/1] One\nYour last result was not accepted: The check of the result took too long, so it was ended.',
    );
  });

  test.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['an empty text', () => ''],
    ['true', () => true],
  ])('accepts the result with %s', async (_what, validation) => {
    const { state } = await play(
      go((prompt) => prompt.defTaskList([{ task: 'One', validation: validation as () => undefined }])),
      [[finish('a')], 'Done.'],
    );
    expect(state.tasks).toMatchObject([{ status: 'completed', result: 'a' }]);
  });
});

describe('edits while the run continues', () => {
  test('are sent to the model from its next step until the next task', async () => {
    const { model, state } = await play(
      go((prompt) => {
        const tasks = prompt.defTaskList([{ task: 'One' }, { task: 'Two' }, { task: 'Three' }]);
        prompt.defTool('meanwhile', '', z.object({}), () => {
          tasks.edit({ type: 'rename', taskId: 'task-1', title: 'One, better' });
          tasks.edit({ type: 'remove', taskId: 'task-2' });
          tasks.edit({ type: 'add', title: 'Four' });
        });
      }),
      [[call('meanwhile')], [finish('1')], [finish('3')], [finish('4')], 'Done.'],
    );
    expect(state.status).toBe('done');
    expect(sent(model).map(({ messages }) => messages[1])).toMatchInlineSnapshot(`
      [
        "user: [Task 1/3] One

      Upcoming tasks:
      2. Two
      3. Three",
        "user: [Task 1/3] One, better

      Upcoming tasks:
      2. Three
      3. Four

      Changes by the user:
      - The user renamed task-1 “One” to “One, better”.
      - The user removed task-2 “Two”.
      - The user added task-4 “Four” after task-3.",
        "user: Completed tasks:
      1. One, better → 1

      [Task 2/3] Three

      Upcoming tasks:
      3. Four",
        "user: Completed tasks:
      1. One, better → 1
      2. Three → 3

      [Task 3/3] Four",
        "user: Completed tasks:
      1. One, better → 1
      2. Three → 3
      3. Four → 4

      All tasks are completed. Give your final answer.",
      ]
    `);
  });

  test('can skip or resolve the task that the model works on', async () => {
    const { model, state } = await play(
      go((prompt) => {
        const tasks = prompt.defTaskList([{ task: 'One' }, { task: 'Two' }, { task: 'Three' }]);
        prompt.defTool('skip', '', z.object({}), () =>
          tasks.edit({ type: 'skip', taskId: 'task-1', reason: 'Not now' }),
        );
        prompt.defTool('resolve', '', z.object({}), () =>
          tasks.edit({ type: 'resolve', taskId: 'task-2', result: 'by hand' }),
        );
      }),
      [[call('skip')], [call('resolve')], [finish('3')], 'Done.'],
    );
    expect(state.status).toBe('done');
    expect(sent(model).map(({ messages }) => messages[1])).toMatchInlineSnapshot(`
      [
        "user: [Task 1/3] One

      Upcoming tasks:
      2. Two
      3. Three",
        "user: Completed tasks:
      1. One (skipped: Not now)

      [Task 2/3] Two

      Upcoming tasks:
      3. Three

      Changes by the user:
      - The user skipped task-1 “One”: Not now",
        "user: Completed tasks:
      1. One (skipped: Not now)
      2. Two → by hand

      [Task 3/3] Three

      Changes by the user:
      - The user completed task-2 “Two” with the result: by hand",
        "user: Completed tasks:
      1. One (skipped: Not now)
      2. Two → by hand
      3. Three → 3

      All tasks are completed. Give your final answer.",
      ]
    `);
  });
});

test.each<[string, (prompt: Prompt) => void, PromptOptions]>([
  ['prepareStep', () => {}, { prepareStep: ({ messages }) => ({ messages: messages.slice(-2) }) }],
  ['a hook', (prompt) => prompt.defHook(({ messages }) => ({ messages: messages.slice(-2) })), {}],
])('with tasks, messages that %s returns last for one step', async (_what, define, options) => {
  const { model, state } = await play(
    go((prompt) => {
      prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }) => n);
      prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
      define(prompt);
    }),
    [[call('look', { n: 1 })], [finish('1')], [call('look', { n: 2 })], [finish('2')], 'Done.'],
    { options },
  );
  expect(state.status).toBe('done');
  expect(sent(model).map(({ messages }) => messages)).toEqual([
    ['user: Go.', 'user: [Task 1/2] One\n\nUpcoming tasks:\n2. Two'],
    ['assistant calls look {"n":1}', 'look answers 1'],
    ['user: Go.', 'user: Completed tasks:\n1. One → 1\n\n[Task 2/2] Two'],
    ['assistant calls look {"n":2}', 'look answers 2'],
    [
      'assistant calls finishTask {"result":"2"}',
      'finishTask answers ✓ All tasks completed successfully! The task list is complete.',
    ],
  ]);
});
