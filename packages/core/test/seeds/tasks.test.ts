// The prompt language: each example as it is promised, and what the model is sent for it.
import type { PromptSource } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { transcript } from '../sent-requests.ts';
import { call } from '../support.ts';
import { play } from './run-scripted.ts';

describe('defTaskList', () => {
  const arithmetic: PromptSource = (prompt) => {
    prompt.defSystem('role', 'Calculator.');
    prompt.defTaskList([
      {
        task: 'Calculate 5 + 3',
        validation: (result) => {
          const num = parseInt(result.trim());
          if (num !== 8) {
            return `Incorrect. Expected 8, got ${result}`;
          }
        },
      },
      {
        task: 'Multiply the previous result by 2',
        extend: (prompt, messages) => {
          expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
          // Add task-specific tools
          prompt.defTool(
            'calculator',
            'Perform multiplication',
            z.object({ a: z.number(), b: z.number() }),
            async ({ a, b }) => String(a * b),
          );

          // Add task-specific context
          prompt.def('ALLOWED_OPERATIONS', 'multiplication only');

          // Add task-specific system instruction
          prompt.defSystem('instructions', 'Use the calculator tool for multiplication.');

          // All extensions are automatically removed via prepareStep when task completes
        },
        validation: (result) => {
          const num = parseInt(result.trim());
          if (num !== 16) {
            return `Incorrect. Expected 16 (8 * 2), got ${result}`;
          }
        },
      },
      {
        task: 'Subtract 6 from the previous result',
        validation: (result) => {
          const num = parseInt(result.trim());
          if (num !== 10) {
            return `Incorrect. Expected 10 (16 - 6), got ${result}`;
          }
        },
      },
    ]);

    // The LLM receives finishTask tool automatically
    prompt.$`Complete all tasks using the finishTask tool.`;
  };

  test('goes through its tasks, with feedback for wrong results', async () => {
    const { sent, state, events, result } = await play(arithmetic, [
      [call('startTask')],
      [call('finishTask', { result: '9' })],
      [call('finishTask', { result: '8' })],
      [call('calculator', { a: 8, b: 2 })],
      [call('finishTask', { result: '16' })],
      [call('finishTask', { result: '10' })],
      'The result is 10.',
    ]);
    expect(transcript(sent)).toMatchInlineSnapshot(`
      "--- call 1
      system: role:
      Calculator.
      tools: startTask, finishTask
      user: Complete all tasks using the finishTask tool.
      user: [Task 1/3] Calculate 5 + 3

      Upcoming tasks:
      2. Multiply the previous result by 2
      3. Subtract 6 from the previous result
      --- call 2
      2 messages as before
      assistant calls startTask {}
      startTask answers Task 1/3 started: Calculate 5 + 3

      Call finishTask with the result when it is done.
      --- call 3
      1 message as before
      user: [Task 1/3] Calculate 5 + 3
      Your last result was not accepted: Incorrect. Expected 8, got 9

      Upcoming tasks:
      2. Multiply the previous result by 2
      3. Subtract 6 from the previous result
      assistant calls startTask {}
      startTask answers Task 1/3 started: Calculate 5 + 3

      Call finishTask with the result when it is done.
      assistant calls finishTask {"result":"9"}
      finishTask answers Validation failed: Incorrect. Expected 8, got 9

      Please review the task and provide a corrected result.
      --- call 4
      system: Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <ALLOWED_OPERATIONS>multiplication only</ALLOWED_OPERATIONS>

      role:
      Calculator.
      instructions:
      Use the calculator tool for multiplication.
      tools: startTask, finishTask, calculator
      1 message as before
      user: Completed tasks:
      1. Calculate 5 + 3 → 8

      [Task 2/3] Multiply the previous result by 2

      Upcoming tasks:
      3. Subtract 6 from the previous result
      --- call 5
      2 messages as before
      assistant calls calculator {"a":8,"b":2}
      calculator answers 16
      --- call 6
      system: role:
      Calculator.
      tools: startTask, finishTask
      1 message as before
      user: Completed tasks:
      1. Calculate 5 + 3 → 8
      2. Multiply the previous result by 2 → 16

      [Task 3/3] Subtract 6 from the previous result
      --- call 7
      1 message as before
      user: Completed tasks:
      1. Calculate 5 + 3 → 8
      2. Multiply the previous result by 2 → 16
      3. Subtract 6 from the previous result → 10

      All tasks are completed. Give your final answer.
      assistant calls finishTask {"result":"10"}
      finishTask answers ✓ All tasks completed successfully! The task list is complete."
    `);
    expect(state).toMatchObject({ status: 'done', text: 'The result is 10.' });
    expect(
      state.tasks.map(({ title, status, result, attempts }) => [title, status, result, attempts]),
    ).toEqual([
      ['Calculate 5 + 3', 'completed', '8', 1],
      ['Multiply the previous result by 2', 'completed', '16', 0],
      ['Subtract 6 from the previous result', 'completed', '10', 0],
    ]);
    expect(await result.text).toBe('The result is 10.');
    const progress = events.flatMap((event) => {
      if (event.type === 'task-update') return [`${event.taskId} ${event.status}`];
      return event.type === 'step-start' ? [`step ${event.step}`] : [];
    });
    expect(progress.join(', ')).toMatchInlineSnapshot(
      `"step 0, task-1 in_progress, step 1, task-1 validating, task-1 in_progress, step 2, task-1 validating, task-1 completed, step 3, task-2 in_progress, step 4, task-2 validating, task-2 completed, step 5, task-3 in_progress, task-3 validating, task-3 completed, step 6"`,
    );
  });

  test('a task that is not finished keeps the run from ending', async () => {
    const { sent, state } = await play(arithmetic, [
      'Easy: 8, 16, 10.',
      [call('finishTask', { result: '8' })],
      [call('finishTask', { result: '16' })],
      [call('finishTask', { result: '10' })],
      'Done.',
    ]);
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
    expect(sent[1]!.messages.join('\n')).toMatchInlineSnapshot(`
      "user: Complete all tasks using the finishTask tool.
      user: [Task 1/3] Calculate 5 + 3

      Upcoming tasks:
      2. Multiply the previous result by 2
      3. Subtract 6 from the previous result
      assistant: Easy: 8, 16, 10.
      user: The task list is not complete. This task is still open:
      [Task 1/3] Calculate 5 + 3
      Finish it with finishTask, and give its result."
    `);
  });
});
