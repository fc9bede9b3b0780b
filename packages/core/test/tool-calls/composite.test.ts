import { runPrompt, tool, type NamedTool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play, throwing, types } from '../support.ts';
import { batch, none, echo, say } from '../support/composite.ts';
import { after } from '../support/runs.ts';

describe('a failing inner call fails alone', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  test.each<[string, () => unknown, string]>([
    ['an error', throwing(new TypeError('no such file')), 'no such file'],
    ['a rejected promise', () => Promise.reject(new Error('no such file')), 'no such file'],
    ['a thrown string', () => Promise.reject('no such file'), 'no such file'],
    ['a thrown value without text', () => Promise.reject(Object.create(null)), '{}'],
    ['a thrown undefined', () => Promise.reject(undefined), 'The tool threw undefined.'],
    [
      'a cycle',
      () => cyclic,
      'Tool bad returned something that is not JSON (Converting circular structure to JSON). Return plain objects, arrays, strings, numbers.',
    ],
    [
      'a BigInt',
      () => ({ id: 1n }),
      'Tool bad returned something that is not JSON (Do not know how to serialize a BigInt). Return plain objects, arrays, strings, numbers.',
    ],
    [
      'a function',
      () => () => 1,
      'Tool bad returned a function. Return its result, or make the tool itself an async function*.',
    ],
  ])('%s', async (_what, bad, error) => {
    const { output, run, toolCall } = await batch(
      [echo, tool('bad', '', none, bad)],
      [say('one'), { name: 'bad' }, say('two')],
    );
    expect(output).toEqual({
      results: [
        { name: 'echo', result: 'one' },
        { name: 'bad', result: { error } },
        { name: 'echo', result: 'two' },
      ],
    });
    expect(toolCall.subCalls?.map(({ state, errorText }) => [state, errorText])).toEqual([
      ['output-available', undefined],
      ['output-error', error],
      ['output-available', undefined],
    ]);
    expect(run.getState().status).toBe('done');
  });

  test.each(['nope', '__proto__', 'constructor', ''])('with an unknown name: "%s"', async (name) => {
    const { output } = await batch([echo], [{ name }, say('on')]);
    expect(output).toEqual({
      results: [
        { name, result: { error: `kit has no tool "${name}". There are: echo.` } },
        { name: 'echo', result: 'on' },
      ],
    });
  });

  test('with invalid or missing arguments', async () => {
    const { output } = await batch(
      [echo],
      [{ name: 'echo', args: { text: 7 } }, { name: 'echo' }, say('on')],
    );
    const error = 'Invalid arguments for echo: text: Invalid input: expected string, received';
    expect(output).toEqual({
      results: [
        { name: 'echo', result: { error: `${error} number` } },
        { name: 'echo', result: { error: `${error} undefined` } },
        { name: 'echo', result: 'on' },
      ],
    });
  });

  test('with a timeout', async () => {
    const { output, toolCall } = await batch(
      [echo, tool('sleep', '', none, () => new Promise(() => {}), { timeoutMs: 20 })],
      [{ name: 'sleep' }, say('on')],
    );
    expect(output).toEqual({
      results: [
        { name: 'sleep', result: { error: 'sleep took longer than 20 ms, so it was ended.' } },
        { name: 'echo', result: 'on' },
      ],
    });
    expect(toolCall.subCalls?.[0]?.ms).toBeGreaterThan(15);
  });

  test('without revealing a key', async () => {
    const key = 'plain-words-that-look-like-no-key';
    const { model, run, output } = await batch(
      [tool('leak', '', none, throwing(new Error(`refused: ${key}`)))],
      [{ name: 'leak' }],
      { env: { ANY_API_KEY: key } },
    );
    expect(JSON.stringify(output)).toContain('refused');
    expect(JSON.stringify(run.log())).not.toContain(key);
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain(key);
  });
});

test('arguments that are not a list of calls fail the whole call', async () => {
  for (const input of [{}, { calls: 'all' }, { calls: [{ args: {} }] }, { calls: [null] }, []]) {
    const { state } = await play(
      go((prompt) => prompt.defTool('kit', 'A kit', [echo])),
      [[call('kit', input)], 'Done.'],
    );
    expect(state.status).toBe('done');
    expect(state.toolCalls[0]).toMatchObject({
      state: 'output-error',
      errorText: 'Error: kit takes { "calls": [{ "name": "…", "args": { … } }] }.',
    });
  }
});

test('calls are made one after the other, each with its own start and end in the log', async () => {
  const order: string[] = [];
  const slow = tool('slow', '', z.object({ n: z.number() }), async ({ n }) => {
    order.push(`start ${n}`);
    await new Promise((resolve) => setTimeout(resolve, 5 - n));
    order.push(`end ${n}`);
    return n;
  });
  const { events, toolCall } = await batch(
    [slow],
    [1, 2, 3].map((n) => ({ name: 'slow', args: { n } })),
  );
  expect(order).toEqual(['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3']);
  const from = events.findIndex(({ type }) => type === 'tool-start');
  expect(types(events.slice(from, from + 8))).toEqual([
    'tool-start',
    'sub-call-start',
    'sub-call-end',
    'sub-call-start',
    'sub-call-end',
    'sub-call-start',
    'sub-call-end',
    'tool-end',
  ]);
  expect(toolCall.subCalls).toMatchObject([
    { name: 'slow', input: { n: 1 }, output: 1, state: 'output-available' },
    { name: 'slow', input: { n: 2 }, output: 2, state: 'output-available' },
    { name: 'slow', input: { n: 3 }, output: 3, state: 'output-available' },
  ]);
});

test('an inner call has null for undefined, the last output of a generator, and the parsed value of a schema', async () => {
  const { output } = await batch(
    [
      tool('nothing', '', none, () => undefined),
      tool('steps', '', none, async function* () {
        yield 1;
        yield 2;
      }),
      tool(
        'upper',
        '',
        z.object({ text: z.string().transform((text) => text.toUpperCase()) }),
        ({ text }) => text,
      ),
      tool('defaults', '', z.object({ n: z.number().default(7) }), ({ n }) => n),
    ],
    [{ name: 'nothing' }, { name: 'steps' }, { name: 'upper', args: { text: 'loud' } }, { name: 'defaults' }],
  );
  expect(output).toEqual({
    results: [
      { name: 'nothing', result: null },
      { name: 'steps', result: 2 },
      { name: 'upper', result: 'LOUD' },
      { name: 'defaults', result: 7 },
    ],
  });
});

test('callbacks are called for each inner call', async () => {
  const called: string[] = [];
  const { output } = await batch(
    [
      tool(
        'divide',
        '',
        z.object({ a: z.number(), b: z.number() }),
        ({ a, b }) => {
          if (b === 0) throw new Error('by zero');
          return a / b;
        },
        {
          beforeCall: ({ a }) => void called.push(`before ${a}`),
          onSuccess: (_args, result) => `= ${String(result)}`,
          onError: ({ a }, error) => (a === 1 ? undefined : `no: ${(error as Error).message}`),
        },
      ),
    ],
    [
      { name: 'divide', args: { a: 6, b: 3 } },
      { name: 'divide', args: { a: 1, b: 0 } },
      { name: 'divide', args: { a: 2, b: 0 } },
    ],
  );
  expect(called).toEqual(['before 6', 'before 1', 'before 2']);
  expect(output).toEqual({
    results: [
      { name: 'divide', result: '= 2' },
      { name: 'divide', result: { error: 'by zero' } },
      { name: 'divide', result: 'no: by zero' },
    ],
  });
});

test('each inner call gets the context of the composite call', async () => {
  const seen: unknown[] = [];
  await batch(
    [
      tool('look', '', none, (_args, { toolCallId, messages, abortSignal }) => {
        seen.push([toolCallId, messages.length, abortSignal?.aborted]);
      }),
    ],
    [{ name: 'look' }, { name: 'look', args: { again: true } }],
  );
  expect(seen).toEqual([
    ['call-0-0', 1, false],
    ['call-0-0', 1, false],
  ]);
});

test('a stopped run makes no further inner calls', async () => {
  const made: string[] = [];
  const { run } = await runPrompt(
    go((prompt) =>
      prompt.defTool('kit', '', [
        tool('stop', '', none, () => {
          made.push('stop');
          run.stop();
          return new Promise(() => {});
        }),
        tool('go', '', none, () => void made.push('go')),
      ]),
    ),
    {
      model: scriptedModel([
        [call('kit', { calls: [{ name: 'go' }, { name: 'stop' }, { name: 'go' }] })],
        'Never.',
      ]),
    },
  );
  const state = await run.finished;
  await after(20);
  expect(made).toEqual(['go', 'stop']);
  expect(state.status).toBe('stopped');
  expect(state.toolCalls[0]!.subCalls?.map(({ state }) => state)).toEqual([
    'output-available',
    'interrupted',
  ]);
});

test('the composite call has its own time limit, which ends the current inner call', async () => {
  const { run } = await play(
    go((prompt) =>
      prompt.defTool('kit', '', [echo, tool('sleep', '', none, () => new Promise(() => {}))], {
        timeoutMs: 30,
      }),
    ),
    [[call('kit', { calls: [say('on'), { name: 'sleep' }, say('never')] })], 'Went on.'],
  );
  expect(run.getState()).toMatchObject({ status: 'done', text: 'Went on.' });
  expect(run.getState().toolCalls[0]!.errorText).toBe('kit took longer than 30 ms, so it was ended.');
  expect(run.getState().toolCalls[0]!.subCalls?.map(({ name, state }) => [name, state])).toEqual([
    ['echo', 'output-available'],
    ['sleep', 'interrupted'],
  ]);
});

describe('invalid parts are refused when the tool is defined', () => {
  test.each<[string, readonly unknown[], string]>([
    ['no parts', [], 'has no parts'],
    ['something that is not a tool', [{ name: 'x' }], 'takes what tool(…) returns'],
    ['nothing', [undefined], 'takes what tool(…) returns'],
    ['two parts with one name', [echo, echo], 'has two parts called echo. Give one of them another name.'],
    ['an invalid name', [tool('a b', '', none, () => 1)], '"a b" cannot be a tool'],
    ['no function', [tool('x', '', none, undefined as never)], 'The function of tool x is undefined'],
    ['an unknown option', [tool('x', '', none, () => 1, { timeout: 5 } as never)], 'has no "timeout"'],
  ])('%s', async (_what, tools, message) => {
    const started = runPrompt(
      go((prompt) => prompt.defTool('kit', '', tools as NamedTool[])),
      { model: scriptedModel([]) },
    );
    await expect(started).rejects.toMatchObject({
      code: 'invalid_definition',
      message: expect.stringContaining(message) as string,
    });
  });
});
