import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { call } from '../support.ts';
import { nextEvent, ran } from '../support/runs.ts';

const finish = (result: string): ScriptedTurn => [call('finishTask', { result })];

const oneTask = definePrompt('one-task', (prompt) => {
  prompt.defTaskList([{ task: 'Add 5 and 3' }]);
  prompt.$`Go.`;
});

describe('the next turn of a conversation with tasks', () => {
  test('keeps a finished list finished', async () => {
    const { run, model } = await ran(oneTask, [finish('8'), 'It is 8.', 'You are welcome.']);
    expect(await run.send('Thanks!')).toBe('You are welcome.');
    expect(run.getState()).toMatchObject({
      status: 'done',
      tasks: [{ id: 'task-1', status: 'completed', result: '8' }],
    });
    // what the model is sent ends with what the user said
    expect(model.calls.at(-1)?.prompt.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Thanks!' }],
      providerOptions: undefined,
    });
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('[Task');
  });

  test('continues with a new task, and start begins the list again', async () => {
    const { run } = await ran(oneTask, [
      finish('8'),
      'It is 8.',
      [{ text: 'One moment.', delay: 20 }],
      finish('16'),
      'It is 16.',
      finish('8'),
      'It is 8.',
    ]);
    const sent = run.send('And twice that?');
    await nextEvent(run, 'step-start');
    expect(await run.edit({ type: 'add', title: 'Double it' })).toEqual({ accepted: true });
    expect(await sent).toBe('It is 16.');
    expect(run.getState().tasks.map(({ id, status, origin }) => [id, status, origin])).toEqual([
      ['task-1', 'completed', 'author'],
      ['task-2', 'completed', 'user'],
    ]);
    await run.start();
    expect(run.getState().tasks.map(({ id, result }) => [id, result])).toEqual([['task-1', '8']]);
  });

  test('keeps the task open that was in progress when the run was stopped', async () => {
    const model = scriptedModel([[call('startTask')], [{ delay: 10_000 }], finish('8'), 'Eight.']);
    const run = createRun(oneTask, { model });
    const first = run.start();
    // not before: the model's slow answer would be that of the next turn
    await expect.poll(() => model.calls.length, { interval: 5 }).toBe(2);
    run.stop();
    await expect(first).rejects.toMatchObject({ code: 'aborted' });
    expect(run.getState().tasks[0]?.status).toBe('in_progress');
    expect(await run.send('Go on.')).toBe('Eight.');
    expect(run.getState().tasks[0]).toMatchObject({ status: 'completed', result: '8' });
  });

  test('keeps tasks that the user renamed, removed and added', async () => {
    const model = scriptedModel([finish('8'), finish('16'), 'Sixteen.', 'You are welcome.']);
    const three = definePrompt('three', (prompt) => {
      prompt.defTaskList([{ task: 'Add 5 and 3' }, { task: 'Double it' }, { task: 'Print it' }]);
      prompt.$`Go.`;
    });
    const run = createRun(three, { model });
    const first = run.start();
    await nextEvent(run, 'step-start');
    await run.edit({ type: 'rename', taskId: 'task-2', title: 'Double that' });
    await run.edit({ type: 'rename', taskId: 'task-2', title: 'Double it, please' });
    await run.edit({ type: 'remove', taskId: 'task-3' });
    expect(await first).toBe('Sixteen.');
    const before = run.getState().tasks.map(({ id, title, status, result }) => [id, title, status, result]);
    expect(before).toEqual([
      ['task-1', 'Add 5 and 3', 'completed', '8'],
      ['task-2', 'Double it, please', 'completed', '16'],
    ]);
    expect(await run.send('Thanks!')).toBe('You are welcome.');
    expect(run.getState().tasks.map(({ id, title, status, result }) => [id, title, status, result])).toEqual(
      before,
    );
    expect(run.getState().tasks[1]).toMatchObject({ authored: 'Double it' });
  });

  test('ignores the tasks of another list', async () => {
    const model = scriptedModel([finish('8'), 'Eight.', finish('x'), 'Done.']);
    let title = 'Add 5 and 3';
    const changing = definePrompt('changing', (prompt) => {
      prompt.defTaskList([{ task: title }]);
      prompt.$`Go.`;
    });
    const run = createRun(changing, { model });
    await run.start();
    title = 'Something else';
    await run.send('More.');
    expect(run.getState().tasks).toMatchObject([{ title: 'Something else', result: 'x' }]);
  });

  test('continues a list that the model made', async () => {
    const model = scriptedModel([
      [call('createTask', { description: 'Look' })],
      [call('completeTask', { taskId: 'task-1', result: 'seen' })],
      'Done.',
      [call('createTask', { description: 'Look again' })],
      [call('completeTask', { taskId: 'task-2', result: 'seen' })],
      'Done again.',
    ]);
    const run = createRun(
      definePrompt('own-list', (prompt) => {
        prompt.defDynamicTaskList();
        prompt.$`Go.`;
      }),
      { model },
    );
    await run.start();
    await run.send('Once more.');
    expect(run.getState().tasks.map(({ id, status }) => [id, status])).toEqual([
      ['task-1', 'completed'],
      ['task-2', 'completed'],
    ]);
  });
});
