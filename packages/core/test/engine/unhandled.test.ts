import {
  createRun,
  definePrompt,
  inProcess,
  runPrompt,
  type Executor,
  type Prompt,
  type RunStorage,
} from '@cueline/core';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { call, throwing } from '../support.ts';
import { unhandledIn } from '../support/unhandled.ts';

const hello = definePrompt('hello', (prompt) => prompt.$`Hi.`);
const rejected = (): never => Promise.reject(new Error('mine')) as never;

/** An error of another library whose message cannot be read. */
function unreadable(): Error {
  return Object.defineProperty(new Error(), 'message', { get: throwing(new Error('the getter')) });
}

describe('a promise without await is refused, and its rejection is handled', () => {
  test.each<[string, (prompt: Prompt) => void]>([
    ['prompt.$', (prompt) => prompt.$`${rejected()}`],
    ['prompt.def', (prompt) => void prompt.def('A', rejected())],
    ['prompt.defData', (prompt) => void prompt.defData('A', rejected())],
    ['the data of prompt.defData', (prompt) => void prompt.defData('A', { b: rejected(), c: [rejected()] })],
    ['prompt.defSystem', (prompt) => prompt.defSystem('role', rejected())],
    ['prompt.defMessage', (prompt) => prompt.defMessage('user', rejected())],
    ['a part of prompt.defMessage', (prompt) => prompt.defMessage('user', [rejected()])],
    ['prompt.defTools', (prompt) => prompt.defTools(rejected())],
  ])('%s', async (_name, define) => {
    let error: unknown;
    const unhandled = await unhandledIn(async () => {
      error = await runPrompt(define, { model: scriptedModel([]) }).catch((thrown: unknown) => thrown);
    });
    expect(unhandled).toEqual([]);
    expect(error).toMatchObject({
      code: 'invalid_definition',
      message: expect.stringContaining('promise') as string,
    });
  });
});

test('a promise of a model is refused, and its rejection is handled', async () => {
  const run = createRun(hello, { model: rejected(), executor: inProcess() });
  expect(await unhandledIn(() => run.start().catch(() => {}))).toEqual([]);
  expect(run.getState().error).toMatchObject({
    code: 'invalid_options',
    message: 'The settings of the run: model is a promise. Write await before it.',
  });
});

describe('the rejections of all promises in a refused result of a tool are handled', () => {
  const failing = throwing(new Error('the getter'));
  const cases: [string, () => unknown][] = [
    ['an object', () => ({ a: Promise.resolve(1), b: rejected() })],
    ['a list in an object', () => ({ price: 1n, all: [rejected(), { c: rejected() }] })],
    ['an object that contains itself', cyclic],
    ['a list with a proxy that throws', () => [new Proxy({}, { getPrototypeOf: failing }), rejected()]],
    [
      'an object with a getter that throws',
      () => Object.defineProperty({ a: rejected() }, 'b', { enumerable: true, get: failing }),
    ],
  ];
  function cyclic(): object {
    const object: Record<string, unknown> = { a: [rejected()] };
    return Object.assign(object, { self: object });
  }

  test.each(cases)('%s', async (_name, returned) => {
    let refused: string | undefined;
    const unhandled = await unhandledIn(async () => {
      const { run } = await runPrompt(
        (prompt) => {
          prompt.defTool('look', 'Looks.', z.object({}), returned);
          prompt.$`Look.`;
        },
        { model: scriptedModel([[call('look')], 'Done.']) },
      );
      refused = (await run.finished).toolCalls[0]?.errorText;
    });
    expect(unhandled).toEqual([]);
    expect(refused).toContain('Tool look returned something that is not JSON');
  });

  test.each(cases)('%s, in a page', async (_name, returned) => {
    const look = definePrompt('look', (prompt) => {
      prompt.defTool('look', 'Looks.', z.object({}));
      prompt.$`Look.`;
    });
    const model = scriptedModel([[call('look')], 'Done.']);
    const run = createRun(look, { model, executor: inProcess(), tools: { look: returned } });
    expect(await unhandledIn(() => run.start())).toEqual([]);
    expect(run.getState()).toMatchObject({ status: 'done', toolCalls: [{ state: 'output-error' }] });
  });
});

test('the promises of a failed result may be ignored, and those that are awaited reject', async () => {
  let text: unknown;
  const unhandled = await unhandledIn(async () => {
    const { result, run } = await runPrompt(hello, {
      model: scriptedModel([[{ throw: new Error('down') }]]),
    });
    const { usage, toolCalls } = result;
    text = await Promise.resolve(result.text).catch((error: unknown) => error);
    void [usage, toolCalls, result.steps];
    await run.finished;
  });
  expect(unhandled).toEqual([]);
  expect(text).toMatchObject({ code: 'provider_error' });
});

describe('a listener that fails is reported, and affects neither the run nor the process', () => {
  test.each<[string, () => unknown]>([
    ['throws', throwing(unreadable())],
    ['rejects', rejected],
  ])('%s', async (_name, listener) => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {});
    let status: string | undefined;
    const unhandled = await unhandledIn(async () => {
      const { run } = await runPrompt(hello, { model: scriptedModel(['Hi.']) });
      run.listen(listener);
      ({ status } = await run.finished);
    });
    expect(unhandled).toEqual([]);
    expect(status).toBe('done');
    expect(report).toHaveBeenCalled();
    report.mockRestore();
  });
});

describe('an executor whose events cannot be closed does not affect the run', () => {
  test.each<[string, () => Promise<never>]>([
    ['throws', throwing(new Error('mine'))],
    ['rejects', rejected],
  ])('%s', async (_name, close) => {
    const inner = inProcess();
    const executor: Executor = {
      start(request, signal) {
        const events = inner.start(request, signal)[Symbol.asyncIterator]();
        return { [Symbol.asyncIterator]: () => ({ next: () => events.next(), return: close }) };
      },
    };
    const run = createRun(hello, { executor, model: scriptedModel(['Hi.']) });
    expect(await unhandledIn(() => run.start())).toEqual([]);
    expect(run.getState()).toMatchObject({ status: 'done', text: 'Hi.' });
  });
});

test('a storage that fails with an unreadable error is reported in the state', async () => {
  const fail = (): Promise<never> => Promise.reject(unreadable());
  const storage: RunStorage = { load: fail, append: fail, remove: fail };
  const run = createRun(hello, { storage, model: scriptedModel(['Hi.']) });
  expect(await unhandledIn(() => run.start())).toEqual([]);
  expect(run.getState()).toMatchObject({ status: 'done', storageError: { code: 'storage_failed' } });
});

test('a session outlives a tool that throws an unreadable error and a logger that rejects', async () => {
  const model = scriptedModel([[call('look')], [call('task_complete', { summary: 'Done.' })]]);
  let reason: string | undefined;
  const unhandled = await unhandledIn(async () => {
    const session = runAgentSession(model, {
      systemPrompt: 'You look.',
      logger: { error: rejected, info: rejected, debug: rejected },
      tools: {
        look: {
          inputSchema: z.object({}),
          execute: throwing(unreadable()),
        },
      },
    });
    reason = (await session).completionReason;
  });
  expect(unhandled).toEqual([]);
  expect(reason).toBe('task_complete');
});
