// What a tool's options promise: callbacks around each call, time limits, outputs of every kind, errors without keys.
import { runPrompt, type ToolContext, type ToolOptions } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, go, play, throwing, types } from '../support.ts';
import { after } from '../support/runs.ts';

/** One call of a tool, and its outcome. */
async function callOnce(
  fn: (args: { n: number }, context: ToolContext) => unknown,
  options: ToolOptions<{ n: number }> = {},
  config: Parameters<typeof play>[2] = {},
) {
  const played = await play(
    go((prompt) => prompt.defTool('work', '', z.object({ n: z.number() }), fn, options)),
    [[call('work', { n: 1 })], 'Done.'],
    config,
  );
  const [toolCall] = played.run.getState().toolCalls;
  return {
    ...played,
    toolCall: toolCall!,
    output: toolCall!.output,
    error: toolCall!.errorText,
    answer: sent(played.model)[1]?.messages.at(-1),
  };
}

const fail = throwing(new Error('no luck'));

describe('callbacks', () => {
  test('are called in their order, with the arguments and the context', async () => {
    const called: unknown[] = [];
    const id = (context: ToolContext) => context.toolCallId;
    const { output } = await callOnce(
      (args, context) => {
        called.push(['fn', args, id(context)]);
        return 'made';
      },
      {
        beforeCall: async (args, context) => {
          await Promise.resolve();
          called.push(['beforeCall', args, id(context)]);
        },
        onSuccess: async (args, made, context) => {
          await Promise.resolve();
          called.push(['onSuccess', args, made, id(context)]);
        },
        onError: () => void called.push('onError'),
      },
    );
    expect(called).toEqual([
      ['beforeCall', { n: 1 }, 'call-0-0'],
      ['fn', { n: 1 }, 'call-0-0'],
      ['onSuccess', { n: 1 }, 'made', 'call-0-0'],
    ]);
    expect(output).toBe('made');
  });

  test.each<[string, () => unknown, ToolOptions<{ n: number }>, unknown]>([
    ['the return value of beforeCall is the result', fail, { beforeCall: () => 'kept' }, 'kept'],
    ['null from beforeCall is a result too', fail, { beforeCall: () => null }, null],
    [
      'the return value of beforeCall does not reach onSuccess',
      fail,
      { beforeCall: () => 1, onSuccess: () => 2 },
      1,
    ],
    ['the return value of onSuccess replaces the result', () => 1, { onSuccess: () => 2 }, 2],
    ['null from onSuccess replaces the result', () => 1, { onSuccess: () => null }, null],
    ['the return value of onError becomes the result', fail, { onError: () => 'saved' }, 'saved'],
    [
      'an error of beforeCall reaches onError',
      () => 1,
      { beforeCall: fail, onError: () => 'saved' },
      'saved',
    ],
    ['an error of onSuccess reaches onError', () => 1, { onSuccess: fail, onError: () => 'saved' }, 'saved'],
  ])('%s', async (_what, fn, options, expected) => {
    const { output, run } = await callOnce(fn, options);
    expect(output).toEqual(expected);
    expect(run.getState().status).toBe('done');
  });

  test.each<[string, () => unknown, ToolOptions<{ n: number }>, string]>([
    ['an onError that returns nothing keeps the error', fail, { onError: () => {} }, 'Error: no luck'],
    [
      'an error of onError replaces the error',
      fail,
      { onError: throwing(new Error('worse')) },
      'Error: worse',
    ],
    ['an error of beforeCall fails the call', () => 1, { beforeCall: fail }, 'Error: no luck'],
    ['an error of onSuccess fails the call', () => 1, { onSuccess: fail }, 'Error: no luck'],
  ])('%s', async (_what, fn, options, expected) => {
    const { error, run, answer } = await callOnce(fn, options);
    expect(error).toBe(expected);
    expect(answer).toBe(`work fails: ${expected}`);
    expect(run.getState().status).toBe('done');
  });

  test('are called before and after all outputs of a generator', async () => {
    const seen: unknown[] = [];
    const { output, events } = await callOnce(
      async function* () {
        yield 'a';
        yield 'b';
      },
      {
        onSuccess: (_args, last) => {
          seen.push(last);
          return 'c';
        },
      },
    );
    expect(seen).toEqual(['b']);
    expect(output).toBe('c');
    const outputs = events.flatMap((e) =>
      e.type === 'tool-preliminary' || e.type === 'tool-end' ? [e.output] : [],
    );
    expect(outputs).toEqual(['a', 'b', 'c', 'c']);
  });

  test('can recover a generator that throws', async () => {
    const { output, toolCall } = await callOnce(
      async function* () {
        yield 'a';
        fail();
      },
      { onError: (_args, error) => `saved from ${(error as Error).message}` },
    );
    expect(output).toBe('saved from no luck');
    expect(toolCall.state).toBe('output-available');
  });

  test('are not called for a call that does not run', async () => {
    const called: string[] = [];
    const { state } = await play(
      go((prompt) =>
        prompt.defTool('work', '', z.object({ n: z.number() }), ({ n }) => n, {
          beforeCall: ({ n }) => void called.push(`before ${n}`),
        }),
      ),
      [[call('work', { n: 'x' }), call('work', { n: 1 }), call('work', { n: 1 })], 'Done.'],
    );
    expect(state.status).toBe('done');
    expect(called).toEqual(['before 1']);
  });
});

describe('timeoutMs', () => {
  test('ends a call that ignores its signal, and the run continues', async () => {
    const { error, run } = await callOnce(() => new Promise(() => {}), { timeoutMs: 20 });
    expect(error).toBe('work took longer than 20 ms, so it was ended.');
    expect(run.getState()).toMatchObject({ status: 'done', text: 'Done.' });
  });

  test('aborts the signal of a call that listens', async () => {
    let reason: unknown;
    await callOnce(
      (_args, { abortSignal }) =>
        new Promise((_resolve, reject) => {
          abortSignal?.addEventListener('abort', () => {
            reason = abortSignal.reason;
            reject(new Error('let go'));
          });
        }),
      { timeoutMs: 20 },
    );
    expect(reason).toMatchObject({ code: 'timeout', details: { toolName: 'work', timeoutMs: 20 } });
  });

  test('covers callbacks, and a whole generator', async () => {
    const slow = await callOnce(() => 1, { beforeCall: () => new Promise(() => {}), timeoutMs: 20 });
    expect(slow.error).toContain('longer than 20 ms');
    let closed = false;
    const generator = await callOnce(
      async function* () {
        try {
          for (let n = 0; ; n += 1) {
            await after(8);
            yield n;
          }
        } finally {
          closed = true;
        }
      },
      { timeoutMs: 30 },
    );
    expect(generator.error).toContain('longer than 30 ms');
    await after(20);
    expect(closed).toBe(true);
  });

  test('does not affect a call that ends in time', async () => {
    const { output } = await callOnce(() => 'in time', { timeoutMs: 1_000 });
    expect(output).toBe('in time');
  });
});

describe('outputs', () => {
  test.each<[string, unknown, unknown, string]>([
    ['undefined', undefined, null, 'null'],
    ['null', null, null, 'null'],
    ['a text', 'hi', 'hi', 'hi'],
    ['an empty text', '', '', ''],
    ['a number', 7, 7, '7'],
    ['zero', 0, 0, '0'],
    ['false', false, false, 'false'],
    ['an object', { a: [1, null] }, { a: [1, null] }, '{"a":[1,null]}'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z', '"1970-01-01T00:00:00.000Z"'],
    ['undefined inside', { a: undefined, b: 1 }, { b: 1 }, '{"b":1}'],
    ['NaN', Number.NaN, null, 'null'],
    ['an empty list', [], [], '[]'],
  ])('%s', async (_what, given, output, answer) => {
    const called = await callOnce(() => given);
    expect(called.toolCall).toMatchObject({ state: 'output-available', output });
    expect(called.answer).toBe(`work answers ${answer}`);
    expect(called.run.getState().status).toBe('done');
  });

  test.each<[string, () => unknown, string]>([
    ['a BigInt', () => ({ id: 1n }), 'not JSON (Do not know how to serialize a BigInt)'],
    ['a function', () => () => 1, 'returned a function'],
    ['a Map', () => new Map([[1, 2]]), 'it is of type Map, which JSON cannot hold'],
    ['an object whose toJSON throws', () => ({ toJSON: () => fail() }), 'not JSON (no luck)'],
  ])('%s is an error of the call', async (_what, fn, message) => {
    const { error, run } = await callOnce(fn);
    expect(error).toContain(message);
    expect(run.getState().status).toBe('done');
  });

  test('a function that returns a generator returns its last output', async () => {
    const { output } = await callOnce(() =>
      (async function* () {
        yield 1;
        yield 2;
      })(),
    );
    expect(output).toBe(2);
  });

  test('a generator that yields nothing has no output', async () => {
    const { toolCall, answer, run } = await callOnce(async function* () {});
    expect(toolCall.state).toBe('output-available');
    expect(answer).toBe('work answers null');
    expect(run.getState().status).toBe('done');
  });

  test('a generator that throws has its outputs in the log, and the model reads the error', async () => {
    const { events, answer } = await callOnce(async function* () {
      yield 'half';
      fail();
    });
    expect(types(events).filter((type) => type.startsWith('tool-'))).toEqual([
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-start',
      'tool-preliminary',
      'tool-error',
    ]);
    expect(answer).toBe('work fails: Error: no luck');
  });

  test('an output of more than 256 KB is cut, in the log and for the model', async () => {
    const { output, answer, run } = await callOnce(() => 'x'.repeat(5_000_000));
    expect((output as string).length).toBeLessThanOrEqual(256 * 1_024);
    expect(output).toMatch(/^x+\n\n\[Cut off: the whole was 5000000 characters long/);
    expect(answer).toBe(`work answers ${output as string}`);
    expect(JSON.stringify(run.log()).length).toBeLessThan(4 * 256 * 1_024);
  });

  test('JSON of more than 256 KB and each output of a generator are cut', async () => {
    const { output } = await callOnce(() => ({ rows: Array.from({ length: 100_000 }, (_, id) => ({ id })) }));
    expect(output).toMatch(/^\{"rows":\[\{"id":0\}.*\n\n\[Cut off/s);
    const { events } = await callOnce(async function* () {
      yield 'y'.repeat(300_000);
      yield { text: 'z'.repeat(300_000) };
    });
    const preliminary = events.flatMap((e) =>
      e.type === 'tool-preliminary' ? [String(e.output).length] : [],
    );
    expect(preliminary).toEqual([256 * 1_024, 256 * 1_024]);
  });
});

describe('errors that a tool throws', () => {
  const key = 'plain-words-that-look-like-no-key';
  const leaks: [string, () => unknown][] = [
    ['an error', throwing(new Error(`refused: ${key}`))],
    ['a text', () => Promise.reject(`refused: ${key}`)],
    ['an object', () => Promise.reject({ refused: key })],
    ['an error with a cause', throwing(new Error('refused', { cause: new Error(key) }))],
    [
      'an error of a generator',
      async function* () {
        yield 'fine';
        throw new Error(`refused: ${key}`);
      },
    ],
  ];
  test.each(leaks)('contain no key for the model or the log: %s', async (_what, fn) => {
    const { run, model, error } = await callOnce(fn, {}, { env: { ANY_API_KEY: key } });
    expect(run.getState().status).toBe('done');
    expect(error).toContain('refused');
    expect(JSON.stringify(run.log())).not.toContain(key);
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain(key);
  });
});

test('a tool that answers after the run was stopped changes nothing', async () => {
  let answer: (value: string) => void = () => {};
  const { run } = await runPrompt(
    go((prompt) =>
      prompt.defTool('work', '', z.object({}), () => {
        setTimeout(() => run.stop(), 2);
        return new Promise<string>((resolve) => (answer = resolve));
      }),
    ),
    { model: scriptedModel([[call('work')], 'Never.']) },
  );
  const state = await run.finished;
  answer('too late');
  await after(20);
  expect(types(run.log()).at(-1)).toBe('run-end');
  expect(state.toolCalls[0]!.state).toBe('interrupted');
  expect(JSON.stringify(run.log())).not.toContain('too late');
});

describe('tools of options.tools', () => {
  test('have the same limits and guards as other tools', async () => {
    let made = 0;
    const { model, state } = await play(
      (prompt) => prompt.$`Go.`,
      [[call('ready')], [call('ready')], 'Done.'],
      {
        options: {
          tools: {
            ready: { description: 'Made elsewhere', inputSchema: z.object({}), execute: () => (made += 1) },
          },
        },
      },
    );
    expect(made).toBe(1);
    expect(sent(model)[2]!.messages.at(-1)).toContain('was not run again');
    expect(state.status).toBe('done');
  });
});
