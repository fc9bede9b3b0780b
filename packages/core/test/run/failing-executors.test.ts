import { createRun, definePrompt, inProcess, type Executor } from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { throwing } from '../support.ts';
import { createBrowser } from '../support/browser.ts';
import { submission } from '../support/chat.ts';
import { thrown } from '../support/thrown.ts';
import { unhandledIn } from '../support/unhandled.ts';

afterEach(() => vi.unstubAllGlobals());

const hello = definePrompt('hello', (prompt) => prompt.$`Hi.`);

/** The events of a run, as an executor must not return them. */
const promises: [string, (events: () => unknown) => unknown][] = [
  ['a promise of its events', async (events) => events()],
  ['a promise that rejects', () => Promise.reject(new Error('mine'))],
];

describe.each(promises)('an executor that returns %s', (_name, promised) => {
  const inner = inProcess();
  const executor = {
    ...inner,
    start: (...args: Parameters<Executor['start']>) => promised(() => inner.start(...args)),
  } as unknown as Executor;
  const error = {
    code: 'invalid_options',
    message: 'The executor returned a promise. Write async *start(), not async start().',
  };

  test('ends the run with an error that says what to write', async () => {
    const run = createRun(hello, { executor, model: scriptedModel(['Hi.']) });
    expect(await unhandledIn(() => run.start().catch(() => {}))).toEqual([]);
    expect(run.getState()).toMatchObject({ status: 'error', error });
    expect(run.log().map(({ type }) => type)).toEqual(['run-start', 'run-end']);
  });

  test('ends a stored run with it, and the next start in the tab is not kept waiting', async () => {
    const tab = createBrowser(`failing-executors-${_name}`).openTab();
    tab.use();
    const run = createRun(hello, { id: 'a', storage: tab.storage, executor, model: scriptedModel(['Hi.']) });
    await run.restored;
    expect(await unhandledIn(() => run.start().catch(() => {}))).toEqual([]);
    expect(run.getState()).toMatchObject({ status: 'error', error });
    const other = createRun(hello, { id: 'a', storage: tab.storage, model: scriptedModel(['Hi.']) });
    await other.restored;
    expect(await other.start()).toBe('Hi.');
  });

  test('is an error of a chat', async () => {
    const chat = new PromptTransport(hello, { executor, model: scriptedModel(['Hi.']) });
    const send = chat.sendMessages(submission('c'));
    let answer: unknown;
    expect(await unhandledIn(async () => (answer = await send.catch((thrown: unknown) => thrown)))).toEqual(
      [],
    );
    expect(answer).toMatchObject(error);
  });
});

test('an executor whose attach returns a promise ends the run that is attached to', async () => {
  const tab = createBrowser('failing-attach').openTab();
  tab.use();
  const reject = (): Promise<never> => Promise.reject(new Error('mine'));
  const executor = { ...inProcess(), attach: reject } as unknown as Executor;
  const run = createRun(hello, {
    executor,
    log: [{ seq: 0, t: 0, type: 'run-start', v: 2, runId: 'run-1', model: '', messages: [], messageId: '' }],
  });
  expect(await unhandledIn(() => run.finished.catch(() => {}))).toEqual([]);
  expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'invalid_options' } });
});

const looksLikeOurs: (typeof thrown)[number] = [
  'an object that only has the name of a CuelineError',
  () => ({ name: 'CuelineError', code: 'network', message: 'Far away.' }),
  'Far away.',
];

describe.for([...thrown, looksLikeOurs])('%s from an executor', ([_name, make, text]) => {
  const fail = throwing(make());
  test.for<[string, Executor['start']]>([
    ['at its start', fail],
    ['in place of an event', () => ({ [Symbol.asyncIterator]: () => ({ next: async () => fail() }) })],
  ])('%s ends the run once, with its message', async ([_when, start]) => {
    const run = createRun(hello, { executor: { start } });
    expect(await unhandledIn(() => run.start().catch(() => {}))).toEqual([]);
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'script_error', message: text } });
    expect(run.log().map(({ type }) => type)).toEqual(['run-start', 'run-end']);
  });
});
