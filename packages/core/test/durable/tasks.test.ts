import { definePrompt, type Prompt } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { calls } from '../support.ts';
import { type Definition, type Done } from '../support/durable-prompts.ts';
import { approval, stateOf, work, workerFor, workToEnd, workUntilWaiting } from '../support/durable-runs.ts';

const none = z.object({});
const finish = (result: string): Parameters<typeof calls>[0] => ['finishTask', { result }];

/** Two tasks, each with a tool of its own that needs an approval. */
function sendInTasks(done: Done, define: (prompt: Prompt) => void = () => {}): Definition {
  const extend = (task: string) => (own: Prompt) =>
    own.defTool('send', 'Send', none, () => done.push(`send in ${task}`), {
      effect: 'external',
      needsApproval: true,
    });
  return definePrompt('tasks', (prompt) => {
    prompt.$`Work.`;
    define(prompt);
    prompt.defTaskList([
      { task: 'a', extend: extend('a') },
      { task: 'b', extend: extend('b') },
    ]);
  });
}

/** The turns of the current task, whose request has none of the answers to the task before. */
const turnsOf =
  (a: readonly ScriptedTurn[], b: readonly ScriptedTurn[]): Parameters<typeof workerFor>[1] =>
  ({ prompt }) =>
    JSON.stringify(prompt).includes('[Task 1/2]') ? a : b;

const send: Parameters<typeof calls>[0] = ['send'];
const lastTurns = [calls(finish('2')), 'Done.'];

test.each<[string, (prompt: Prompt) => void]>([
  ['', () => {}],
  [
    ' that replaces one of the prompt',
    (prompt) => prompt.defTool('send', 'Send', none, () => 'base', { needsApproval: true }),
  ],
])('an approved call of a tool of a task%s runs in another process', async (_what, define) => {
  const done: Done = [];
  const worker = workerFor(sendInTasks(done, define), turnsOf([calls(send), calls(finish('1'))], lastTurns));
  const [id] = (await workUntilWaiting(worker)) as [string];
  await workToEnd(worker, [approval(id)]);
  expect(done).toEqual(['send in a']);
  expect(stateOf(worker.store)).toMatchObject({ status: 'done', result: 'Done.' });
  expect(stateOf(worker.store).toolCalls[0]).toMatchObject({ state: 'output-available', output: 1 });
});

test('an approved call belongs to the task of its step, which was finished in that step', async () => {
  const done: Done = [];
  const worker = workerFor(sendInTasks(done), turnsOf([calls(finish('1'), send)], lastTurns));
  const [id] = (await workUntilWaiting(worker)) as [string];
  await workToEnd(worker, [approval(id)]);
  expect(done).toEqual(['send in a']);
  expect(stateOf(worker.store).status).toBe('done');
});

test('the page answers a call of a client tool of a task, and another process continues', async () => {
  const definition = definePrompt('ask', (prompt) => {
    prompt.$`Work.`;
    prompt.defTaskList([{ task: 'a', extend: (own) => own.defTool('ask', 'Ask', none) }]);
  });
  const worker = workerFor(definition, [calls(['ask']), calls(finish('1')), 'Done.']);
  const waiting = await work(worker);
  if (waiting.status !== 'waiting') throw new Error(waiting.status);
  const [clientCallId] = waiting.clientCallIds as [string];
  await workToEnd(worker, [{ type: 'client-tool-response', clientCallId, response: { output: 'blue' } }]);
  const state = stateOf(worker.store);
  expect(state).toMatchObject({ status: 'done', result: 'Done.' });
  expect(state.toolCalls[0]).toMatchObject({ state: 'output-available', output: 'blue' });
});

test('a result is checked by the validation of its task, also if another version of the list has a task in front', async () => {
  const validated: string[] = [];
  const list = (...titles: string[]): Definition =>
    definePrompt('tasks', (prompt) => {
      prompt.$`Work.`;
      prompt.defTaskList(
        titles.map((task) => ({ task, validation: (result) => void validated.push(`${task}: ${result}`) })),
      );
    });
  const worker = workerFor(list('a', 'b'), turnsOf([calls(finish('1'))], lastTurns));
  await work(worker);
  await workToEnd({ ...worker, definition: list('c', 'a', 'b') });
  expect(validated).toEqual(['a: 1', 'b: 2']);
  expect(stateOf(worker.store).tasks.map(({ title, status }) => [title, status])).toEqual([
    ['a', 'completed'],
    ['b', 'completed'],
  ]);
});

test('a result is checked by the validation with its id if its title is gone', async () => {
  const validated: string[] = [];
  const list = (...titles: string[]): Definition =>
    definePrompt('tasks', (prompt) => {
      prompt.$`Work.`;
      prompt.defTaskList(titles.map((task) => ({ task, validation: () => void validated.push(task) })));
    });
  const worker = workerFor(list('a', 'b'), turnsOf([calls(finish('1'))], lastTurns));
  await work(worker);
  await workToEnd({ ...worker, definition: list('a', 'b, better') });
  expect(validated).toEqual(['a', 'b, better']);
});
