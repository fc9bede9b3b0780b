import { runPrompt, type RunEventBody } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { attemptCount, possibleEdits, taskAnnouncement } from '../../src/tasks/task-labels.ts';
import { start, stateOf } from '../transcript/run-events.ts';

/** The tasks after these events. */
const tasksAfter = (...bodies: RunEventBody[]) => stateOf([start, ...bodies]).tasks;
const add = (id: string): RunEventBody => ({
  type: 'task-add',
  task: { id, title: `Do ${id}`, origin: 'author' },
  index: 0,
});
const update = (taskId: string, change: object): RunEventBody => ({
  type: 'task-update',
  taskId,
  by: 'author',
  ...change,
});

describe('a task list in words', () => {
  test.each<[string, readonly RunEventBody[], string]>([
    ['nothing', [], ''],
    ['a new task', [add('a'), add('b')], 'Open: Do b. 0 of 2 tasks done.'],
    [
      'one that began',
      [add('a'), update('a', { status: 'in_progress' })],
      'In progress: Do a. 0 of 1 tasks done.',
    ],
    [
      'one that was refused',
      [add('a'), update('a', { status: 'in_progress', attempts: 1, error: 'Too short.' })],
      'Not accepted yet: Do a. 0 of 1 tasks done.',
    ],
    [
      'the last that happened',
      [add('a'), add('b'), update('b', { status: 'skipped' }), update('a', { status: 'completed' })],
      'Done: Do a. 2 of 2 tasks done.',
    ],
  ])('%s', (_what, events, words) => {
    expect(taskAnnouncement(tasksAfter(...events))).toBe(words);
  });

  test.each([
    [0, 'in_progress', 0],
    [0, 'completed', 0],
    [1, 'in_progress', 1],
    [1, 'completed', 2],
    [5, 'failed', 5],
  ] as const)('%i refused results of a task that is %s: %s attempts', (refused, status, attempts) => {
    const [task] = tasksAfter(add('a'), update('a', { attempts: refused, status }));
    expect(attemptCount(task!)).toBe(attempts);
  });
});

describe('a task offers exactly the actions that its list accepts', () => {
  const kinds = ['rename', 'skip', 'retry', 'remove'] as const;

  test.each(['pending', 'skipped', 'completed'] as const)('%s', async (status) => {
    const taken: string[] = [];
    for (const type of kinds) {
      const { run } = await runPrompt(
        (prompt) => {
          const list = prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
          if (status === 'skipped') list.edit({ type: 'skip', taskId: 'task-2' });
          if (status === 'completed') list.edit({ type: 'resolve', taskId: 'task-2', result: 'Two.' });
          prompt.$`Go.`;
        },
        { model: scriptedModel(['Later.']) },
      );
      if ((await run.edit({ type, taskId: 'task-2', title: 'New' })).accepted) taken.push(type);
      run.stop();
    }
    expect(taken.toSorted()).toEqual(possibleEdits[status].toSorted());
  });
});
