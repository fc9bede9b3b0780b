import { createRun, CuelineError, definePrompt, type Executor, type Run, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { memoryStorage } from '../support/runs.ts';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Say hello.`;
});

const begun: RunEvent[] = [
  { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'far', model: 'm:x', messages: [], messageId: 'answer' },
  { seq: 1, t: 1, type: 'text-start', id: '0' },
];

/** Loses sight of each run after its first events, and notes which runs it is asked to end. */
function losing(): Executor & { starts: number; ended: string[] } {
  const ended: string[] = [];
  let starts = 0;
  return {
    ended,
    get starts() {
      return starts;
    },
    async *start() {
      starts += 1;
      yield* begun;
      throw new Error('connection lost');
    },
    attach(runId, _afterSeq, signal) {
      if (signal.aborted) ended.push(runId);
      return { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) };
    },
  };
}

test('a run whose connection was lost is stopped before it is repeated', async () => {
  const executor = losing();
  const run = createRun(greet, { executor });
  await run.start().catch(() => {});
  expect(executor.ended).toEqual([]);
  await run.retry({ from: 0 }).catch(() => {});
  expect([executor.starts, executor.ended]).toEqual([2, ['far']]);
  await run.start().catch(() => {});
  expect([executor.starts, executor.ended]).toEqual([3, ['far', 'far']]);
});

test('a start that this page could not make is not made by attach(), and has the current settings in a retry', async () => {
  const models: unknown[] = [];
  const executor: Executor = {
    async *start({ model }) {
      models.push(model);
      if (models.length === 1) throw new CuelineError('network', 'The code could not be loaded.');
      yield* begun;
      yield { seq: 2, t: 2, type: 'run-end', outcome: 'done' };
    },
    attach: () => undefined,
  };
  const run = createRun(greet, { executor, model: 'first:x' });
  await expect(run.start()).rejects.toThrow('could not be loaded');
  run.attach();
  run.configure({ model: 'second:y' });
  await run.retry();
  expect(models).toEqual(['first:x', 'second:y']);
});

test('a start that a listener makes while another start replaces it can still be stopped', async () => {
  const slow = [{ delay: 5_000 }, { text: 'x' }];
  const model = scriptedModel([slow, slow, slow, slow]);
  const run = createRun(greet, { model });
  let started = false;
  run.listen((event) => {
    if (event.type !== 'run-end' || started) return;
    started = true;
    void run.start();
  });
  void run.start();
  await expect.poll(() => model.calls.length).toBe(1);
  void run.start();
  await expect.poll(() => model.calls.length).toBe(3);
  run.stop();
  await expect
    .poll(() => model.calls.filter(({ abortSignal }) => abortSignal?.aborted === true).length)
    .toBe(3);
});

test('an unreadable stored log is reported, and does not block new events', async () => {
  const damaged = [{ ...begun[0]!, messages: undefined } as unknown as RunEvent];
  const other = [{ ...begun[0]!, v: 99 } as unknown as RunEvent];
  for (const log of [damaged, other]) {
    const storage = memoryStorage({ a: log });
    const run = createRun(greet, { id: 'a', storage, model: scriptedModel(['Hello.']) });
    await run.restored;
    expect(run.getState()).toMatchObject({ status: 'idle', storageError: { code: 'storage_failed' } });
    expect(await run.start()).toBe('Hello.');
    expect(run.getState().storageError).toBeUndefined();
  }
});

test('a listener that retries an interrupted run at once does so once', async () => {
  const run = createRun(greet, { log: begun, model: scriptedModel(['Hello.']) });
  let retries = 0;
  run.listen((event) => {
    if (event.type !== 'run-end' || event.error?.code !== 'interrupted') return;
    retries += 1;
    void run.retry();
  });
  await run.restored;
  await expect.poll(() => run.getState().status).toBe('done');
  expect(retries).toBe(1);
});

test('the result of a tool is stored at once', async () => {
  const storage = memoryStorage();
  const run = createRun(greet, {
    id: 'a',
    storage,
    executor: {
      async *start() {
        yield* begun;
        yield { seq: 2, t: 2, type: 'tool-end', toolCallId: 'c', output: 1 };
        await new Promise(() => {});
      },
    },
  });
  void run.start();
  await expect.poll(() => run.log().length).toBe(3);
  await Promise.resolve();
  expect(storage.logs.get('a')).toHaveLength(3);
  run.stop();
});

test.each([
  ['fails', async (run: Run<{ city: string }>) => void (await run.start({ city: 'Faro' }).catch(() => {}))],
  [
    'is stopped',
    async (run: Run<{ city: string }>) => {
      await run.restored;
      const started = run.start({ city: 'Faro' }).catch(() => {});
      run.stop();
      await started;
    },
  ],
])(
  'a start that %s before its first event is repeated by a later page with its input',
  async (how, start) => {
    const plan = definePrompt('plan', (prompt, { city }: { city: string }) => {
      prompt.$`Plan a day in ${city}.`;
    });
    const unreachable: Executor = {
      start: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => (how === 'fails' ? Promise.reject(new Error('no connection')) : new Promise(() => {})),
        }),
      }),
    };
    const storage = memoryStorage();
    await start(createRun(plan, { id: 'a', storage, executor: unreachable }));
    await expect.poll(() => storage.logs.get('a')?.at(-1)?.type).toBe('run-end');
    const model = scriptedModel(['Sea.']);
    const run = createRun(plan, { id: 'a', storage, model });
    await run.restored;
    expect(await run.retry()).toBe('Sea.');
    expect(JSON.stringify(model.calls[0]!.prompt)).toContain('Plan a day in Faro.');
  },
);

test('a start whose input JSON cannot hold ends with its own error', async () => {
  const plan = definePrompt('plan', (prompt, _input: { count: bigint }) => {
    prompt.$`Plan.`;
  });
  const executor: Executor = {
    // oxlint-disable-next-line require-yield
    async *start() {
      throw new Error('no connection');
    },
  };
  await expect(createRun(plan, { executor }).start({ count: 1n })).rejects.toThrow('no connection');
});
