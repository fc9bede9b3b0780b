import { reduceAll } from '@cueline/core';
import { expect, test } from 'vitest';
import { call, play } from '../support.ts';

test('the state of a step has the feedback that the model read before it, live and in a replay', async () => {
  const { events, state } = await play(
    (prompt) => {
      prompt.defTaskList([{ task: 'Count to three' }]);
      prompt.$`Work through the tasks.`;
    },
    ['One.', 'Two.', [call('finishTask', { result: '1 2 3' })], 'Done.'],
  );
  const text =
    'The task list is not complete. This task is still open:\n[Task 1/1] Count to three\nFinish it with finishTask, and give its result.';
  const told = [{ id: expect.any(String) as string, cause: 'tasks', text }];
  expect(state.steps.map(({ steered }) => steered)).toStrictEqual([undefined, told, told, undefined]);
  expect(reduceAll(events)).toStrictEqual(state);
});
