import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'finishTask', input: { result: '7' } } }],
  [{ toolCall: { name: 'finishTask', input: { result: '8' } } }],
  [{ toolCall: { name: 'multiply', input: { a: 8, b: 2 } } }],
  [{ toolCall: { name: 'finishTask', input: { result: '16' } } }],
  'The result is 16.',
]);

const { run } = await runPrompt(
  (prompt) => {
    // #region tasks
    prompt.defTaskList([
      {
        task: 'Add 5 and 3',
        validation: (result) => (Number(result) === 8 ? undefined : `${result} is not the sum of 5 and 3.`),
      },
      {
        task: 'Multiply the result by 2',
        extend: (prompt) => {
          prompt.defSystem('method', 'Multiply with the tool.');
          prompt.defTool(
            'multiply',
            'Multiplies two numbers',
            z.object({ a: z.number(), b: z.number() }),
            ({ a, b }) => a * b,
          );
        },
        validation: async (result) => {
          if (Number(result) !== 16) throw new Error('That is not right.');
        },
      },
    ]);
    // #endregion
    prompt.$`Work through the tasks, then say the result.`;
  },
  { model },
);

const { steps, tasks } = await run.finished;
for (const { request } of steps) console.log(request.tools.map(({ name }) => name).join(', '));
console.log(steps[2]?.request.messages[1]?.content); // the list, as the model reads it at the third step
for (const { id, status, attempts, result } of tasks) console.log(id, status, attempts, result);
// prints: startTask, finishTask
// prints: startTask, finishTask, multiply
// prints: 1. Add 5 and 3 → 8
// prints: [Task 2/2] Multiply the result by 2
// prints: task-1 completed 1 8
// prints: task-2 completed 0 16
