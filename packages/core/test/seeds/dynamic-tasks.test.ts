// Each example of the prompt language's specification, and the request that the model gets for it.
import type { PromptSource } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { sent, transcript } from '../sent-requests.ts';
import { call } from '../support.ts';
import { outputs, play } from './run-scripted.ts';

describe('defDynamicTaskList', () => {
  const plan: PromptSource = (prompt) => {
    prompt.defDynamicTaskList();

    // Agent can now dynamically manage tasks
    prompt.$`
      Create a plan to build a user authentication system.
      Break it down into tasks and complete them one by one.
    `;
  };

  test('gives the model six tools', async () => {
    const { model } = await play(plan, ['No plan.']);
    const takes = model.calls[0]!.tools?.map((tool) =>
      tool.type === 'function' ? `${tool.name}: ${tool.inputSchema.required?.join(', ')}` : tool.name,
    );
    expect(takes?.join('\n')).toMatchInlineSnapshot(`
      "createTask: description
      updateTask: taskId, newDescription
      startTask: taskId
      completeTask: taskId, result
      getTaskList: 
      deleteTask: taskId"
    `);
    expect(sent(model)[0]!.messages).toEqual([
      'user: Create a plan to build a user authentication system.\nBreak it down into tasks and complete them one by one.',
    ]);
  });

  test('each tool answers for every status of a task', async () => {
    const { events, state } = await play(plan, [
      [call('createTask', { description: 'Design the schema' })],
      [
        call('createTask', { description: 'Write the login' }),
        call('createTask', { description: 'Celebrate' }),
      ],
      [call('updateTask', { taskId: 'task-2', newDescription: 'Write the login form' })],
      [call('startTask', { taskId: 'task-1' })],
      [call('getTaskList')],
      [call('completeTask', { taskId: 'task-1', result: 'users(id, name)' })],
      [call('deleteTask', { taskId: 'task-3' })],
      [call('completeTask', { taskId: 'task-2', result: 'a form' })],
      [call('updateTask', { taskId: 'task-1', newDescription: 'x' })],
      'The system is built.',
    ]);
    expect(outputs(events).join('\n')).toMatchInlineSnapshot(`
      "Created task-1: Design the schema
      Created task-2: Write the login
      Created task-3: Celebrate
      Updated task-2: Write the login form
      task-1 started: Design the schema

      Call completeTask with the result when it is done.
      task-1 [in_progress] Design the schema
      task-2 [pending] Write the login form
      task-3 [pending] Celebrate
      ✓ Task completed: task-1

      Still open: task-2, task-3.
      Deleted task-3: Celebrate
      ✓ Task completed: task-2

      All tasks are completed. Give your final answer.
      task-1 is completed and cannot be updated. Tasks that can be updated: none."
    `);
    expect(state.status).toBe('done');
    expect(state.tasks.map(({ id, status, result }) => [id, status, result])).toEqual([
      ['task-1', 'completed', 'users(id, name)'],
      ['task-2', 'completed', 'a form'],
    ]);
  });

  test('the messages are replaced by the list', async () => {
    const { sent } = await play(plan, [
      [call('createTask', { description: 'Design' }), call('createTask', { description: 'Build' })],
      [call('startTask', { taskId: 'task-1' })],
      [call('completeTask', { taskId: 'task-1', result: 'a drawing' })],
      [call('startTask', { taskId: 'task-2' })],
      [call('completeTask', { taskId: 'task-2', result: 'a house' })],
      'Built.',
    ]);
    expect(transcript(sent)).toMatchInlineSnapshot(`
      "--- call 1
      tools: createTask, updateTask, startTask, completeTask, getTaskList, deleteTask
      user: Create a plan to build a user authentication system.
      Break it down into tasks and complete them one by one.
      --- call 2
      1 message as before
      user: Pending tasks:
      - task-1: Design
      - task-2: Build
      assistant calls createTask {"description":"Design"}
      assistant calls createTask {"description":"Build"}
      createTask answers Created task-1: Design
      createTask answers Created task-2: Build
      --- call 3
      1 message as before
      user: Current task: [task-1] Design

      Pending tasks:
      - task-2: Build
      --- call 4
      1 message as before
      user: Completed tasks:
      - task-1: Design → a drawing

      Pending tasks:
      - task-2: Build
      assistant calls completeTask {"taskId":"task-1","result":"a drawing"}
      completeTask answers ✓ Task completed: task-1

      Still open: task-2.
      --- call 5
      1 message as before
      user: Completed tasks:
      - task-1: Design → a drawing

      Current task: [task-2] Build
      --- call 6
      1 message as before
      user: Completed tasks:
      - task-1: Design → a drawing
      - task-2: Build → a house

      All tasks are completed. Give your final answer.
      assistant calls completeTask {"taskId":"task-2","result":"a house"}
      completeTask answers ✓ Task completed: task-2

      All tasks are completed. Give your final answer."
    `);
  });

  test('the model must complete all tasks to finish', async () => {
    const { sent, state } = await play(plan, [
      [call('createTask', { description: 'Design' })],
      'That is enough.',
      [call('completeTask', { taskId: 'task-1', result: 'a drawing' })],
      'Now it is.',
    ]);
    expect(state).toMatchObject({ status: 'done', text: 'Now it is.' });
    expect(sent[2]!.messages.at(-1)).toMatchInlineSnapshot(`
      "user: The task list is not complete. Still pending: task-1 “Design”.
      Start one with startTask and finish it with completeTask, or take it off the list with deleteTask."
    `);
  });
});
