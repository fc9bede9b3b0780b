import { createRun, definePrompt, inProcess, type Executor, type Run, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, types } from '../support.ts';
import { after, codeOf } from '../support/runs.ts';

const greet = definePrompt('greet', (prompt) => prompt.$`Greet.`);

/** Waits for a promise as long as a test may take for it. */
const inTime = (promise: Promise<unknown>): Promise<unknown> =>
  codeOf(Promise.race([promise, after(4_000).then(() => 'It is still pending.')]));

/** Each says what hinders the start, and the error that it ends with. */
const failing: [string, () => Run, string][] = [
  [
    'whose key is missing',
    () => createRun(greet, { model: 'openai:gpt-5', executor: inProcess({ env: {} }) }),
    'missing_key',
  ],
  ['whose model does not exist', () => createRun(greet, { model: 'nobody:x' }), 'unknown_model'],
  [
    'whose prompt function throws',
    () =>
      createRun(
        definePrompt('broken', () => expect.unreachable()),
        { model: scriptedModel([]) },
      ),
    'script_error',
  ],
  [
    'whose executor throws',
    () => {
      const executor: Executor = {
        // eslint-disable-next-line require-yield -- it fails before it has anything to say
        async *start() {
          throw new Error('Not here.');
        },
      };
      return createRun(greet, { executor });
    },
    'script_error',
  ],
];

test.each(failing)(
  'a start %s ends with its error although it is detached at once',
  async (_, open, code) => {
    const run = open();
    const heard: RunEvent[] = [];
    run.listen((event) => heard.push(event));
    const result = run.start();
    run.detach();
    expect(await inTime(result)).toBe(code);
    expect(run.getState()).toMatchObject({ status: 'error', error: { code } });
    expect(types(heard)).toEqual(['run-start', 'run-end']);
    expect(heard).toEqual(run.log());
  },
);

test('a run whose detached start has failed can be started again', async () => {
  const run = createRun(greet, { model: 'nobody:x' });
  const first = run.start();
  run.detach();
  expect(await inTime(first)).toBe('unknown_model');
  run.attach();
  expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'unknown_model' } });
  run.configure({ model: scriptedModel(['Hello.']) });
  expect(await run.start(undefined, { whenBusy: 'queue' })).toBe('Hello.');
});

test('a retry that keeps steps ends with its error although it is detached at once', async () => {
  const looking = definePrompt('looking', (prompt) => {
    prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
    prompt.$`Greet.`;
  });
  const model = scriptedModel([[call('look')], [{ throw: 'The line is dead.' }]]);
  const before = createRun(looking, { model, options: { maxRetries: 0 } });
  expect(await codeOf(before.start())).toBe('provider_error');
  const executor = inProcess({ env: {} });
  const run = createRun(looking, { model: 'openai:gpt-5', executor, log: before.log() });
  const again = run.retry();
  run.detach();
  expect(await inTime(again)).toBe('missing_key');
  expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'missing_key' } });
});
