import { definePrompt, type Executor, type RunEvent } from '@cueline/core';
import { createRunRegistry, type SharedRun } from '@cueline/react';
import { expect, test } from 'vitest';
import { manualExecutor } from './support/executors.ts';

const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.$`Greet ${input.name}.`;
});

function openRun(executor: Executor): SharedRun<{ name: string }> {
  const run = createRunRegistry().open('greeting', greet);
  run.configure({ executor });
  return run;
}

/** Accepts a start and never emits an event, whatever command it gets. */
const deaf: Executor = {
  start: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
};

test('a start that replaces another ends it first, and listeners get the two runs in order', async () => {
  const executor = manualExecutor();
  const run = openRun(executor);
  const events: string[] = [];
  run.listen((event: RunEvent) => void events.push(event.type === 'run-end' ? event.outcome : event.type));
  const first = run.start({ name: 'Ada' });
  await expect.poll(() => events.length).toBe(3);
  const second = run.start({ name: 'Grace' });
  await expect(first).rejects.toMatchObject({ code: 'aborted' });
  executor.write('Hello, Grace.');
  executor.finish();
  await expect(second).resolves.toBe('Hello, Grace.');
  const begun = ['run-start', 'step-start', 'text-start'];
  expect(events).toEqual([...begun, 'stopped', ...begun, 'text-delta', 'text-end', 'done']);
});

test('stop before the first event ends the run, and the conversation stays', async () => {
  const executor = manualExecutor();
  const run = openRun(executor);
  const first = run.start({ name: 'Ada' });
  executor.write('Hello, Ada.');
  executor.finish();
  await first;
  run.configure({ executor: deaf });
  const answer = run.send('And Grace?');
  expect(run.getState()).toMatchObject({
    status: 'running',
    messages: [{ role: 'assistant' }, { role: 'user' }],
  });
  run.stop();
  await expect(answer).rejects.toMatchObject({ code: 'aborted' });
  expect(run.getState()).toMatchObject({
    status: 'stopped',
    messages: [{ role: 'assistant' }, { role: 'user' }],
  });
});

test('an executor that never ends does not hold up the run', async () => {
  const run = openRun({
    async *start(_request, signal) {
      yield {
        seq: 0,
        t: 0,
        type: 'run-start',
        v: 2,
        runId: 'deaf',
        model: '',
        messages: [],
        messageId: 'answer',
      };
      await new Promise(() => signal.throwIfAborted());
    },
  });
  const answer = run.start({ name: 'Ada' });
  await expect.poll(() => run.getState().runId).toBe('deaf');
  run.stop();
  await expect(answer).rejects.toMatchObject({ code: 'aborted' });
  expect(run.getState().status).toBe('stopped');
});

test('an executor that throws or ends without run-end ends the run with an error', async () => {
  const broken = openRun({
    start() {
      throw new Error('no worker left');
    },
  });
  await expect(broken.start({ name: 'Ada' })).rejects.toMatchObject({
    code: 'script_error',
    message: 'no worker left',
  });
  expect(broken.getState().status).toBe('error');
  const silent = openRun({ async *start() {} });
  await expect(silent.start({ name: 'Ada' })).rejects.toMatchObject({ code: 'stream_truncated' });
});
