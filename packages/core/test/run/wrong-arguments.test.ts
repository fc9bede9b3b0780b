import { createRun, definePlugin, definePrompt, runPrompt, viaRoute, type Run } from '@cueline/core';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { caseFromRun } from '@cueline/core/evals';
import { explain } from '@cueline/core/inspect';
import { encodeLink, encodeLog } from '@cueline/core/link';
import { continuableSteps, editLog, logBefore } from '@cueline/core/replay';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { ran } from '../support/runs.ts';

const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);

test.each<[object, string]>([
  [{ whenBsy: 'queue' }, 'The run of "greet" takes no "whenBsy" when it starts. Did you mean whenBusy?'],
  [
    { abortSignal: 1 },
    'The run of "greet" takes no "abortSignal" when it starts. It is now signal: { signal: controller.signal }.',
  ],
  [
    { id: 'a' },
    'The run of "greet" takes no "id" when it starts. Pass it to createRun or usePrompt: { id: … }.',
  ],
  [
    { seed: 1 },
    'The run of "greet" takes no "seed" when it starts. Pass it to createRun or usePrompt: { options: { seed: … } }.',
  ],
  [
    { signal: new AbortController() },
    'The run of "greet" got a signal that is an object, not an AbortSignal. Write { signal: controller.signal }.',
  ],
  [{ often: 1 }, 'The run of "greet" takes no "often" when it starts. There are: key, whenBusy, signal.'],
])(
  'a start or a message with the option %j is refused with what to write, and changes nothing',
  async (options, message) => {
    const model = scriptedModel(['Hello.']);
    const run = createRun(greet, { model });
    const refusals = async (): Promise<void> => {
      await expect(run.start(undefined, options)).rejects.toMatchObject({ code: 'invalid_options', message });
      await expect(run.send('And?', options)).rejects.toMatchObject({ code: 'invalid_options', message });
    };
    await refusals();
    expect(run.getState().status).toBe('idle');
    const first = run.start();
    await refusals();
    expect(await first).toBe('Hello.');
    await refusals();
    expect(run.getState()).toMatchObject({ status: 'done', text: 'Hello.' });
    expect(model.calls).toHaveLength(1);
  },
);

describe('a run without a prompt, as of a module that imports this one', () => {
  const error = {
    code: 'invalid_definition',
    message: expect.stringContaining('Write createRun(planDay), with what definePrompt returned.'),
  };
  const acts: [string, (run: Run) => Promise<unknown>][] = [
    ['start', (run) => run.start()],
    ['send', (run) => run.send('And?')],
  ];

  test.each(acts)('%s ends with what to write', async (_, act) => {
    const run = createRun(undefined as never, { model: scriptedModel(['Hello.']) });
    await expect(act(run)).rejects.toMatchObject(error);
    expect(run.getState()).toMatchObject({ status: 'error', error });
  });

  test('also on a route, and can be stopped', async () => {
    const executor = viaRoute('https://example.com/greet', {
      fetch: () => Promise.reject(new Error('asked')),
    });
    const run = createRun(undefined as never, { executor });
    await expect(run.start()).rejects.toMatchObject(error);
    const stopped = run.start();
    run.stop();
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  });
});

test.each<[unknown, string]>([
  [viaRoute, "a function. Write executor: viaRoute('/api/plan-day')"],
  ['/api/greet', "'/api/greet'. Write executor: viaRoute('/api/greet')"],
  [{ url: '/api/greet' }, "an object. Write executor: viaRoute('/api/plan-day')"],
])('an executor that cannot start anything ends the run with what to write: %o', async (executor, shown) => {
  const run = createRun(greet, { executor: executor as never });
  await expect(run.start()).rejects.toMatchObject({
    code: 'invalid_options',
    message: `The run of "greet" cannot use its executor, which is ${shown}, or leave it out to run the prompt here.`,
  });
  expect(run.getState().status).toBe('error');
});

test.each<[unknown, string]>([
  [() => {}, 'a function'],
  [true, 'true'],
  [{ getItem: () => null }, 'an object'],
])(
  'a run with a storage that cannot store is not stored, and says what to write: %o',
  async (storage, shown) => {
    const model = scriptedModel(['Hello.']);
    const run = createRun(greet, { id: 'a', model, storage: storage as never });
    expect(await run.start()).toBe('Hello.');
    expect(run.getState().storageError).toMatchObject({
      code: 'storage_failed',
      message: `The run is not stored, because its storage is ${shown} without load and append. Write indexedDbStorage(), or an object with load, append and remove.`,
    });
  },
);

test('a message takes no key', async () => {
  const refused = createRun(greet).send('And?', { key: 'a' } as object);
  await expect(refused).rejects.toThrow('takes no "key" when it starts. There are: whenBusy, signal.');
});

test.each([new AbortController(), null, true])('options.abortSignal cannot be %j', async (abortSignal) => {
  const config = { model: scriptedModel(['Hello.']), options: { abortSignal: abortSignal as never } };
  const error = {
    code: 'invalid_options',
    message: expect.stringContaining('not an AbortSignal. Write { abortSignal: controller.signal }.'),
  };
  await expect(runPrompt(greet, config)).rejects.toMatchObject(error);
  await expect(createRun(greet, config).start()).rejects.toMatchObject(error);
});

test.each([undefined, null, { name: 'terms' }, { setup: () => {} }])(
  'definePlugin(%j) says what to write',
  (plugin) => {
    expect(() => definePlugin(plugin as never)).toThrow(
      "definePlugin({ name: 'glossary', setup(prompt) { … } })",
    );
  },
);

test.each<[unknown, string]>([
  [1, 'retry takes an object, but got 1. Write { … }.'],
  [null, 'retry takes an object, but got null. Write { … }.'],
  [{ step: 1 }, 'retry has no "step". There are: from.'],
  [{ from: '1' }, "The run cannot continue from step '1'. It can from 0: retry({ from: 0 })."],
])('retry(%j) is refused, instead of repeating the whole turn', async (options, message) => {
  const { run, model } = await ran(greet, ['Hello.', 'Hello again.']);
  await expect(run.retry(options as never)).rejects.toMatchObject({ code: 'invalid_options', message });
  expect(model.calls).toHaveLength(1);
  expect(run.getState().text).toBe('Hello.');
});

test('retry as the listener of an event continues as without options', async () => {
  const { run } = await ran(greet, ['Hello.', 'Hello again.']);
  expect(await run.retry(new Event('click') as never)).toBe('Hello again.');
});

describe('what takes a log refuses the run itself, and says what to pass', () => {
  const takers: [string, (log: never) => unknown][] = [
    ['encodeLog', encodeLog],
    ['encodeLink({ log })', (log) => encodeLink({ log })],
    ['toUIMessageStream', toUIMessageStream],
    ['caseFromRun', caseFromRun],
    ['continuableSteps', continuableSteps],
    ['logBefore', (log) => logBefore(log, 1)],
    ['editLog', (log) => editLog(log, { step: 0, text: 'Bye.' })],
  ];

  test.each(takers)('%s', (name, take) => {
    const message = `${name} takes the events of a run, but got an object. Pass run.log().`;
    expect(() => take(createRun(greet) as never)).toThrow(
      expect.objectContaining({ code: 'invalid_options', message }),
    );
  });
});

test.each<unknown>([undefined, null, createRun(greet), Promise.resolve()])(
  'explain refuses %j, which has no request',
  (given) => {
    expect(() => explain(given as never)).toThrow('Write explain(await dryRun(prompt)), or explain(run.');
  },
);

test.each<[unknown, string]>([
  [null, 'encodeLink takes an object, but got null.'],
  [undefined, 'encodeLink takes an object, but got null.'],
  [{ logs: [] }, 'encodeLink has no "logs". Did you mean log?'],
])('encodeLink(%j) says what to write', (payload, message) => {
  expect(() => encodeLink(payload as never)).toThrow(message);
});
