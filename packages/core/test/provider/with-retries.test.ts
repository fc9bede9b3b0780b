import { APICallError, type LanguageModelV2, type LanguageModelV4 } from '@ai-sdk/provider';
import { CuelineError, definePrompt, runPrompt } from '@cueline/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { withRetries, type ModelResponse, type RetrySettings } from '../../src/provider/with-retries.ts';
import {
  all,
  finish,
  healed,
  noUsage,
  provider,
  see,
  started,
  text,
  toolCall,
  usage,
  type Act,
  type Answer,
  type Part,
} from '../support/scripted-provider.ts';
import { call, play } from '../support.ts';
import { after } from '../support/runs.ts';

const whole = [started, ...text('Hello.'), finish('stop')];

function refused(status: number, headers: Record<string, string> = {}): APICallError {
  return new APICallError({
    message: 'No.',
    url: 'https://lab.example/v1',
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: headers,
  });
}

const browserFailure = new TypeError('Failed to fetch');
const reset = new TypeError('terminated');

const reasoning: Part[] = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r' },
];
const signature: Part = {
  type: 'reasoning-delta',
  id: 'r',
  delta: '',
  providerMetadata: { lab: { signature: 's' } },
};
const search = {
  type: 'tool-call',
  toolCallId: 's',
  toolName: 'search',
  input: '{}',
  providerExecuted: true,
} as const;

/** The code, and the details that say what happened. */
function named(error: unknown): unknown {
  return CuelineError.isInstance(error) ? { code: error.code, ...error.details } : error;
}

/** Settings that write down what happens. */
function watched(settings: RetrySettings = {}) {
  const retried: unknown[] = [];
  const slept: number[] = [];
  return {
    retried,
    slept,
    settings: {
      random: () => 0.5,
      onRetry: ({ error, delayMs }) => retried.push([error.code, delayMs]),
      sleep: (ms) => (slept.push(ms), Promise.resolve()),
      ...settings,
    } satisfies RetrySettings,
  };
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'],
    now: Date.UTC(2026, 10, 22, 12),
  });
});
afterEach(() => {
  // whatever happened: no timer outlives its call
  const left = vi.isFakeTimers() ? vi.getTimerCount() : 0;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  if (left > 0) throw new Error(`${left} timers are left.`);
});

describe('an answer', () => {
  test('that is whole passes as it is, with the name of its model and the facts of its request', async () => {
    const { model, calls } = provider([whole]);
    const steady = withRetries(model, {}) as LanguageModelV4;
    expect([steady.specificationVersion, steady.provider, steady.modelId]).toEqual(['v4', 'lab', 'm-1']);
    const { stream, request } = await steady.doStream({ prompt: [], temperature: 0.3 });
    expect(await all(stream)).toEqual(whole);
    expect(request).toEqual({ body: { number: 0 } });
    expect(calls.map(({ temperature }) => temperature)).toEqual([0.3]);
  });

  test('of a model of an older kind is one of the present kind', async () => {
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', false);
    const model: LanguageModelV2 = {
      specificationVersion: 'v2',
      provider: 'old',
      modelId: 'm-0',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('not used')),
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream({
            start(controller) {
              controller.enqueue({ type: 'text-start', id: 't' });
              controller.enqueue({ type: 'text-delta', id: 't', delta: 'Hi' });
              controller.enqueue({ type: 'tool-call', toolCallId: 'a', toolName: 'find', input: '{}' });
              controller.enqueue({
                type: 'finish',
                finishReason: 'unknown',
                usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
              });
              controller.close();
            },
          }),
        }),
    };
    const steady = withRetries(model, {}) as LanguageModelV4;
    expect([steady.specificationVersion, steady.provider, steady.modelId]).toEqual(['v4', 'old', 'm-0']);
    const { parts } = await see(steady);
    expect(parts.map(({ type }) => type)).toEqual([
      'text-start',
      'text-delta',
      'text-end',
      'tool-call',
      'finish',
    ]);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } });
  });

  test('shows its text as it arrives, and its calls at its end', async () => {
    const { model } = provider([
      [
        started,
        ...text('I look.'),
        ...toolCall('a'),
        { wait: 1_000 },
        ...text('Two.', 'u'),
        finish('tool-calls'),
      ],
    ]);
    const steady = withRetries(model, { repair: () => false }) as LanguageModelV4;
    const { stream } = await steady.doStream({ prompt: [] });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of stream) seen.push(part.type);
    })();
    await vi.advanceTimersByTimeAsync(999);
    const early = ['stream-start', 'text-start', 'text-delta', 'text-end'];
    const input = ['tool-input-start', 'tool-input-delta', 'tool-input-end'];
    expect(seen).toEqual([...early, ...input]);
    await vi.advanceTimersByTimeAsync(1);
    await reading;
    expect(seen.slice(7)).toEqual(['text-start', 'text-delta', 'text-end', 'tool-call', 'finish']);
  });

  test('is reported as a whole before its calls and its finish are passed on', async () => {
    const order: unknown[] = [];
    const { model } = provider([
      [
        started,
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
        { type: 'reasoning-end', id: 'r', providerMetadata: { lab: { signature: 's' } } },
        ...text('I look. '),
        ...text('Twice.', 'u'),
        ...toolCall('a', '{"q":1}'),
        finish('other'),
      ],
    ]);
    const answers: ModelResponse[] = [];
    const steady = withRetries(model, {
      repair: () => false,
      async onAnswer(answer) {
        answers.push(answer);
        await after(50);
        order.push('told');
      },
    }) as LanguageModelV4;
    const { stream } = await steady.doStream({ prompt: [] });
    const reading = (async () => {
      for await (const { type } of stream) if (type === 'tool-call' || type === 'finish') order.push(type);
    })();
    await vi.runAllTimersAsync();
    await reading;
    expect(order).toEqual(['told', 'tool-call', 'finish']);
    expect(answers).toEqual([
      {
        text: 'I look. Twice.',
        toolCalls: [{ toolCallId: 'a', toolName: 'find', input: '{"q":1}' }],
        content: [
          { type: 'reasoning', text: 'Hm.', providerMetadata: { lab: { signature: 's' } } },
          { type: 'text', text: 'I look. ' },
          { type: 'text', text: 'Twice.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'find', input: '{"q":1}' },
        ],
        finishReason: { unified: 'tool-calls', raw: 'other' },
      },
    ]);
  });

  test('that could not be reported ends with the error of the callback', async () => {
    const full = new Error('The store is full.');
    const onAnswer = () => Promise.reject(full);
    const { parts, errored } = await see(
      provider([[...text('Hi'), ...toolCall('a'), finish('tool-calls')]]).model,
      {
        onAnswer,
        repair: () => true,
      },
    );
    expect(errored).toBe(full);
    expect(parts.some(({ type }) => type === 'tool-call' || type === 'finish')).toBe(false);
  });

  test.each<[string, Part[], Part[]]>([
    [
      'says tool-calls and makes none',
      [...text('Hi'), finish('tool-calls')],
      [...text('Hi'), { ...finish('stop'), finishReason: { unified: 'stop', raw: 'tool-calls' } } as Part],
    ],
    ['makes calls and says stop', [...toolCall('a'), finish('stop')], [...toolCall('a'), finish('stop')]],
    ['is cut off without calls', [...text('Hi'), finish('length')], [...text('Hi'), finish('length')]],
    ['is empty', [started, finish('stop')], [started, finish('stop')]],
    ['leaves a block open', [...text('Hi').slice(0, 2), finish('stop')], [...text('Hi'), finish('stop')]],
    ['does not open a block', [...text('Hi').slice(1), finish('stop')], [...text('Hi'), finish('stop')]],
    [
      'begins a block twice',
      [text('Hi')[0]!, ...text('Hi'), finish('stop')],
      [text('Hi')[0]!, text('Hi')[2]!, ...text('Hi'), finish('stop')],
    ],
    [
      'ends what never began',
      [
        { type: 'text-end', id: 'x' },
        { type: 'tool-input-end', id: 'y' },
        { type: 'tool-input-delta', id: 'y', delta: '{' },
        finish('stop'),
      ],
      [finish('stop')],
    ],
    ['goes on after its end', [...whole, ...text('More')], whole],
    [
      'has empty deltas',
      [started, text('')[0]!, text('')[1]!, ...text('Hi').slice(1), finish('stop')],
      [started, ...text('Hi'), finish('stop')],
    ],
    [
      'is signed',
      [reasoning[0]!, signature, reasoning[2]!, ...whole],
      [reasoning[0]!, signature, reasoning[2]!, ...whole],
    ],
    ['makes calls at the provider only', [search, finish('tool-calls')], [search, finish('tool-calls')]],
    [
      'does not say that arguments are complete',
      [...toolCall('a').slice(0, 2), toolCall('a')[3]!, finish('stop')],
      [...toolCall('a'), finish('stop')],
    ],
  ])('that %s', async (_what, given, expected) => {
    expect(await see(provider([given]).model, { retries: 0 })).toEqual({ parts: expected });
  });

  describe('with calls of the provider’s own', () => {
    const result = { type: 'tool-result', toolCallId: 's', toolName: 'search', result: 'found' } as const;
    const request = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 's' } as const;
    const heal = () => true;

    test('shows them where they were made, with their results', async () => {
      const given = [search, result, ...text('Found.'), finish('stop')];
      expect(await see(provider([given]).model)).toEqual({ parts: given });
    });

    test('that breaks off leaves no call without a result', async () => {
      const half = [search, { ...result, preliminary: true }, ...text('Hm')];
      const { parts } = await see(provider([[...half, { breaks: reset }]]).model, { repair: heal });
      expect(parts).toEqual([
        ...half,
        { ...result, result: 'The answer broke off before the result came.', isError: true },
        healed,
      ]);
      const done = [search, result];
      expect((await see(provider([[...done, { breaks: reset }]]).model, { repair: heal })).parts).toEqual([
        ...done,
        healed,
      ]);
    });

    test('asks for an approval once it is whole', async () => {
      const { parts } = await see(provider([[search, request, ...text('May I?'), finish('stop')]]).model);
      expect(parts).toEqual([search, ...text('May I?'), request, finish('stop')]);
      const broken = await see(provider([[search, request, { breaks: reset }]]).model, { repair: heal });
      expect(broken.parts).not.toContainEqual(request);
    });

    test('keeps results with their calls: after those that wait, and by their new ids', async () => {
      const here = { type: 'tool-call', toolCallId: 's', toolName: 'search', input: '{}' } as const;
      const given = [search, result, here, result, ...text('Found.'), finish('stop')];
      const { parts } = await see(provider([given]).model);
      expect(parts).toEqual([
        search,
        result,
        ...text('Found.'),
        { ...here, toolCallId: 's~2' },
        { ...result, toolCallId: 's~2' },
        finish('stop'),
      ]);
    });
  });

  test('is reported with the sources of its text', async () => {
    const citations = [{ type: 'source', sourceId: 'x' }] as never;
    const told: ModelResponse[] = [];
    const given: Part[] = [
      ...text('So.').slice(0, 2),
      { type: 'text-end', id: 't', citations },
      finish('stop'),
    ];
    await see(provider([given]).model, { onAnswer: (answer) => void told.push(answer) });
    expect(told.map(({ content }) => content)).toEqual([[{ type: 'text', text: 'So.', citations }]]);
  });
});

describe('ids of calls', () => {
  test.each<[string, Part[], string[]]>([
    [
      'one after the other',
      [...toolCall('a'), ...toolCall('a'), ...toolCall('b'), ...toolCall('a')],
      ['a', 'a~2', 'b', 'a~3'],
    ],
    ['of which one is taken', [...toolCall('a~2'), ...toolCall('a'), ...toolCall('a')], ['a~2', 'a', 'a~3']],
    ['without arguments before', [toolCall('a')[3]!, toolCall('a')[3]!], ['a', 'a~2']],
  ])('are made unique: %s', async (_what, given, ids) => {
    const { parts } = await see(provider([[...given, finish('tool-calls')]]).model);
    const of = (type: Part['type']): unknown[] =>
      parts.flatMap((part) =>
        part.type === type
          ? [
              (part as { id?: string; toolCallId?: string }).id ??
                (part as { toolCallId?: string }).toolCallId,
            ]
          : [],
      );
    expect(of('tool-call')).toEqual(ids);
    if (given.length > 2) {
      for (const type of ['tool-input-start', 'tool-input-delta', 'tool-input-end'] as const)
        expect(of(type)).toEqual(ids);
    }
  });

  test('two of one id that stream at once', async () => {
    const [begin, delta, end, call] = toolCall('a') as [Part, Part, Part, Part];
    const { parts } = await see(
      provider([
        [
          begin,
          delta,
          begin,
          { ...delta, delta: '{"n":2}' } as Part,
          end,
          call,
          end,
          { ...call, input: '{"n":2}' } as Part,
          finish('stop'),
        ],
      ]).model,
    );
    expect(
      parts.map((part) => [part.type, 'id' in part ? part.id : 'toolCallId' in part ? part.toolCallId : '']),
    ).toEqual([
      ['tool-input-start', 'a'],
      ['tool-input-delta', 'a'],
      ['tool-input-start', 'a~2'],
      ['tool-input-delta', 'a~2'],
      ['tool-input-end', 'a'],
      ['tool-input-end', 'a~2'],
      ['tool-call', 'a'],
      ['tool-call', 'a~2'],
      ['finish', ''],
    ]);
    expect(parts.at(-2)).toMatchObject({ input: '{"n":2}' });
  });

  test('that are empty are kept', async () => {
    const { parts } = await see(provider([[...toolCall(''), ...toolCall(''), finish('stop')]]).model);
    const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    expect(ids).toEqual([expect.stringMatching(/^call-\w{16}$/), expect.stringMatching(/^call-\w{16}$/)]);
    expect(new Set(ids).size).toBe(2);
    const begun = parts.flatMap((part) => (part.type === 'tool-input-start' ? [part.id] : []));
    expect(begun).toEqual(ids);
  });
});

describe('an answer that is broken', () => {
  const begun = [started, ...text('Half').slice(0, 2), ...toolCall('a'), ...toolCall('b', '{"q').slice(0, 2)];
  const ends: Part[] = [
    { type: 'text-end', id: 't' },
    { type: 'tool-input-end', id: 'b' },
  ];
  const shown = begun.filter(({ type }) => type !== 'tool-call');

  test.each<[string, Answer, { code: string; type?: string; finishReason?: string }]>([
    ['a reset', [...begun, { breaks: reset }], { code: 'stream_truncated' }],
    ['an end without finish', begun, { code: 'stream_truncated' }],
    [
      'an error in the stream',
      [...begun, { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }, finish('stop')],
      { code: 'overloaded', type: 'overloaded_error' },
    ],
    [
      'an error with a key',
      [...begun, { type: 'error', error: { message: 'key top-secret-1 is bad' } }],
      { code: 'provider_error' },
    ],
    [
      'the finish reason error',
      [...begun, finish('error')],
      { code: 'stream_truncated', finishReason: 'error' },
    ],
    [
      'the finish reason interrupted',
      [...begun, finish('interrupted')],
      { code: 'stream_truncated', finishReason: 'interrupted' },
    ],
    [
      'a cut inside arguments, although it says stop',
      [...begun, finish('stop')],
      { code: 'stream_truncated', finishReason: 'stop' },
    ],
    [
      'an end at the limit of tokens',
      [...begun, finish('length')],
      { code: 'stream_truncated', finishReason: 'length' },
    ],
    [
      'a filter',
      [...begun, finish('content-filter')],
      { code: 'content_filter', finishReason: 'content-filter' },
    ],
  ])('by %s', async (_what, answer, expected) => {
    const told = vi.fn();
    const lost = provider([answer]);
    const thrown = await see(lost.model, { secrets: ['top-secret-1'], onAnswer: told });
    expect(thrown.parts).toEqual(shown);
    expect(named(thrown.errored)).toEqual(expected);
    expect(JSON.stringify(thrown.errored)).not.toContain('top-secret-1');
    expect(lost.calls.length).toBe(1);
    expect(lost.calls[0]?.abortSignal?.aborted).toBe(true);

    const asked: unknown[] = [];
    const kept = await see(provider([answer]).model, {
      repair: (error) => asked.push(named(error)) > 0,
      onAnswer: told,
    });
    const last = kept.parts.at(-1);
    expect(kept).toEqual({ parts: [...shown, ...ends, last] });
    // what it has cost is known where the model has said so
    const known = 'finishReason' in expected;
    expect(last).toEqual({ ...healed, usage: known ? usage : noUsage });
    expect(asked).toEqual([expected]);
    expect(told).not.toHaveBeenCalled();
  });

  test.each(['error', 'interrupted'] as const)('by the finish reason %s alone', async (reason) => {
    const { errored } = await see(provider([[...text('Hi'), finish(reason)]]).model);
    expect(named(errored)).toEqual({ code: 'stream_truncated', finishReason: reason });
    expect((errored as Error).message).toBe('The model broke off its answer without saying why. Try again.');
  });

  test('names the limit of tokens, and that no call was made', async () => {
    const { errored } = await see(provider([[...text('Hi'), ...toolCall('a'), finish('length')]]).model);
    expect((errored as Error).message).toBe(
      'The answer was cut off at the limit of tokens, so none of its tool calls were made. Raise maxOutputTokens, or ask for less at once.',
    );
  });

  test('is not requested again, because some of it is visible', async () => {
    const { model, calls } = provider([[...text('Half'), { breaks: browserFailure }], whole]);
    const { errored } = await see(model);
    expect(named(errored)).toEqual({ code: 'network' });
    expect(calls.length).toBe(1);
  });
});

describe('retries', () => {
  test.each<[string, Answer, string]>([
    ['a network error in a browser', { throws: browserFailure }, 'network'],
    ['408', { throws: refused(408) }, 'timeout'],
    ['429', { throws: refused(429) }, 'rate_limited'],
    ['500', { throws: refused(500) }, 'provider_error'],
    ['503', { throws: refused(503) }, 'overloaded'],
    ['529', { throws: refused(529) }, 'overloaded'],
    [
      'an overload inside the stream',
      [started, { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }],
      'overloaded',
    ],
    [
      'a server error inside the stream',
      [started, { type: 'error', error: { type: 'server_error', message: 'Oh' } }],
      'provider_error',
    ],
    ['an end before anything came', [started], 'stream_truncated'],
    ['a reset before anything came', [started, { type: 'ping' }, { breaks: reset }], 'stream_truncated'],
    [
      'a reset after a block began with nothing in it',
      [started, text('')[0]!, { breaks: reset }],
      'stream_truncated',
    ],
    ['a reset after a signature', [started, reasoning[0]!, signature, { breaks: reset }], 'stream_truncated'],
    ['an empty answer that failed', [started, finish('error')], 'stream_truncated'],
  ])('%s is tried again, twice, after 0.5 s and 1 s', async (_what, failing, code) => {
    const healing = watched();
    const { model, calls } = provider([failing, failing, whole]);
    expect(await see(model, healing.settings)).toEqual({ parts: whole });
    expect(calls.length).toBe(3);
    expect(healing.retried).toEqual([
      [code, 500],
      [code, 1_000],
    ]);
    expect(healing.slept).toEqual([500, 1_000]);

    const failed = provider([failing]);
    const { parts, rejected } = await see(failed.model, watched().settings);
    expect(parts).toEqual([]);
    expect(rejected).toMatchObject({ code, details: { attempts: 3 } });
    expect((rejected as Error).message).toMatch(/\(3 attempts\)$/);
    if ('throws' in failing) expect((rejected as Error).cause).toBe(failing.throws);
    expect(failed.calls.length).toBe(3);
    for (const { abortSignal } of failed.calls) expect(abortSignal?.aborted).toBe(true);
  });

  test.each<[string, Answer, string]>([
    ['401', { throws: refused(401) }, 'auth'],
    ['400', { throws: refused(400, { 'retry-after': '120' }) }, 'bad_request'],
    ['402', { throws: refused(402) }, 'rate_limited'],
    ['an error of unknown kind', { throws: new Error('Oh.') }, 'provider_error'],
    [
      'nobody who listens on this machine',
      {
        throws: new APICallError({
          message: 'No',
          url: 'http://localhost:1',
          requestBodyValues: {},
          isRetryable: false,
          cause: new CuelineError('network', 'No.', { details: { reason: 'ECONNREFUSED' } }),
        }),
      },
      'network',
    ],
    [
      'a timeout of the model’s own that counts all of its time',
      { throws: new CuelineError('timeout', 'No.', { details: { phase: 'call' } }) },
      'timeout',
    ],
  ])('%s is not', async (_what, failing, code) => {
    const { model, calls } = provider([failing, whole]);
    expect((await see(model)).rejected).toMatchObject({ code });
    expect(calls.length).toBe(1);
  });

  test('a connection on this machine that was reset is', async () => {
    const cause = new CuelineError('network', 'No.', { details: { reason: 'ECONNRESET' } });
    const error = new APICallError({
      message: 'No',
      url: 'http://localhost:1',
      requestBodyValues: {},
      isRetryable: false,
      cause,
    });
    expect(await see(provider([{ throws: error }, whole]).model)).toEqual({ parts: whole });
  });

  test('are as many as are asked for, and their waits differ by chance', async () => {
    const none = provider([{ throws: refused(500) }]);
    expect((await see(none.model, { retries: 0 })).rejected).toMatchObject({ details: { statusCode: 500 } });
    expect(none.calls.length).toBe(1);
    const low = watched({ retries: 8, random: () => 0 });
    const high = watched({ retries: 8, random: () => 1 });
    for (const { settings } of [low, high]) await see(provider([{ throws: refused(500) }]).model, settings);
    expect(low.slept).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
    expect(high.slept).toEqual([625, 1_250, 2_500, 5_000, 10_000, 20_000, 37_500, 37_500]);
  });

  test('of a call that failed for good: it may be healed', async () => {
    const heal = vi.fn(() => true);
    expect(await see(provider([{ throws: refused(500) }]).model, { repair: heal })).toEqual({
      parts: [started, healed],
    });
    expect(heal).toHaveBeenCalledTimes(1);
  });

  test.each<[string, Record<string, string>, number]>([
    ['milliseconds', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1_234],
    ['seconds', { 'Retry-After': '7' }, 7_000],
    ['no time at all', { 'retry-after': '0' }, 0],
    ['the longest wait', { 'retry-after': '30' }, 30_000],
    ['a date', { 'retry-after': 'Sun, 22 Nov 2026 12:00:20 GMT' }, 20_000],
    ['a date in the past', { 'retry-after': 'Sun, 22 Nov 2026 11:00:00 GMT' }, 0],
    ['nonsense', { 'retry-after': 'soon' }, 500],
    ['a negative number', { 'retry-after': '-5' }, 500],
    ['an empty one', { 'retry-after': '', 'retry-after-ms': ' ' }, 500],
  ])('wait as long as the server asks: %s', async (_what, headers, ms) => {
    const { settings, slept } = watched();
    expect(await see(provider([{ throws: refused(429, headers) }, whole]).model, settings)).toEqual({
      parts: whole,
    });
    expect(slept).toEqual([ms]);
  });

  test.each<[string, unknown]>([
    ['in the cause', new CuelineError('overloaded', 'No.', { cause: refused(503, { 'retry-after': '7' }) })],
    ['among the details', new CuelineError('rate_limited', 'No.', { details: { retryAfter: '7' } })],
  ])('find what the server asks %s of an error', async (_where, error) => {
    const { settings, slept } = watched();
    expect(await see(provider([{ throws: error }, whole]).model, settings)).toEqual({ parts: whole });
    expect(slept).toEqual([7_000]);
  });

  test.each<[string, number, Record<string, string>, string]>([
    ['a rate limit', 429, { 'retry-after': '120' }, '2026-11-22T12:02:00.000Z'],
    ['an overload', 503, { 'retry-after': 'Sun, 22 Nov 2026 13:00:00 GMT' }, '2026-11-22T13:00:00.000Z'],
    ['no date that there is', 429, { 'retry-after': '1e308' }, '+275760-09-13T00:00:00.000Z'],
  ])('are none where the server asks for longer: %s', async (_what, status, headers, retryAt) => {
    const { settings, slept, retried } = watched();
    const { model, calls } = provider([{ throws: refused(status, headers) }, whole]);
    const { rejected } = await see(model, settings);
    expect(rejected).toMatchObject({ code: 'rate_limited', details: { statusCode: status, retryAt } });
    expect([calls.length, slept, retried]).toEqual([1, [], []]);
  });

  test('without a network wait for it, and are not counted', async () => {
    const network = { online: false, listeners: new Set<() => void>() };
    const connectivity = {
      isOnline: () => network.online,
      subscribe: (listener: () => void) => (
        network.listeners.add(listener),
        () => void network.listeners.delete(listener)
      ),
    };
    const retried: unknown[] = [];
    const { model, calls } = provider([
      { throws: browserFailure },
      { throws: browserFailure },
      { throws: refused(500) },
      whole,
    ]);
    const seeing = see(model, {
      retries: 1,
      random: () => 0.5,
      connectivity,
      sleep: (ms, signal) => (
        vi.isFakeTimers(),
        new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)));
        })
      ),
      onRetry: ({ error, delayMs }) => retried.push([error.code, delayMs]),
    });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(calls.length).toBe(1);
    // a browser may be wrong about it, so that it is tried now and then
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.length).toBe(2);
    // told of a change that is none
    for (const listener of network.listeners) listener();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.length).toBe(2);
    network.online = true;
    for (const listener of network.listeners) listener();
    await vi.advanceTimersByTimeAsync(500);
    expect(await seeing).toEqual({ parts: whole });
    expect(network.listeners.size).toBe(0);
    expect(retried).toEqual([
      ['network', 30_000],
      ['network', 30_000],
      // the one try that counts
      ['provider_error', 500],
    ]);
  });

  test('ask the browser whether there is a network', async () => {
    const target = new EventTarget();
    const navigator = { onLine: false };
    vi.stubGlobal('navigator', navigator);
    vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
    vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
    const { model, calls } = provider([{ throws: browserFailure }, whole]);
    const seeing = see(model, { retries: 0, sleep: () => new Promise(() => {}) });
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.length).toBe(1);
    navigator.onLine = true;
    target.dispatchEvent(new Event('online'));
    expect(await seeing).toEqual({ parts: whole });
  });
});

describe('stopping', () => {
  const reason = new Error('The user left.');

  test('before the call', async () => {
    const { model, calls } = provider([whole]);
    expect(await see(model, { repair: () => true }, AbortSignal.abort(reason))).toEqual({
      parts: [],
      rejected: reason,
    });
    expect(calls.length).toBe(0);
  });

  test.each<[string, Answer, RetrySettings, number]>([
    ['while it connects', { connects: 5_000, acts: whole }, {}, 0],
    ['before its first part', [started, 'silence'], {}, 0],
    ['in the middle', [...text('Half'), ...toolCall('a'), 'silence'], {}, 6],
    ['while it waits for the next try', { throws: refused(500) }, { sleep: () => new Promise(() => {}) }, 0],
    [
      'in the wait that is not replaced',
      { throws: refused(500, { 'retry-after': '20' }) },
      { sleep: undefined },
      0,
    ],
    [
      'while there is no network',
      { throws: browserFailure },
      { sleep: undefined, connectivity: { isOnline: () => false, subscribe: () => () => {} } },
      0,
    ],
    [
      'while the answer is told',
      [...text('All'), finish('stop')],
      { onAnswer: () => new Promise(() => {}) },
      3,
    ],
  ])('%s ends it at once, as it is', async (_what, answer, settings, count) => {
    for (const deaf of [false, true]) {
      const controller = new AbortController();
      const heal = vi.fn(() => true);
      const { model, calls, cancelled } = provider([answer], { deaf });
      const seeing = see(model, { repair: heal, ...settings }, controller.signal);
      await vi.advanceTimersByTimeAsync(100);
      controller.abort(reason);
      const { parts, rejected, errored } = await seeing;
      expect(rejected ?? errored).toBe(reason);
      expect(parts.length).toBe(count);
      expect(heal).not.toHaveBeenCalled();
      expect(calls.length).toBe(1);
      // a provider that does not listen is let go of as soon as it answers
      await vi.advanceTimersByTimeAsync(10_000);
      if (deaf && !('throws' in answer)) expect(cancelled).toEqual([0]);
    }
  });

  test('by the reader of the answer ends the call', async () => {
    const { model, calls, cancelled } = provider([[...text('Half'), 'silence']]);
    const heal = vi.fn(() => true);
    const { stream } = await (withRetries(model, { repair: heal }) as LanguageModelV4).doStream({
      prompt: [],
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel(reason);
    expect(calls[0]?.abortSignal?.reason).toBe(reason);
    expect(cancelled).toEqual([0]);
    expect(heal).not.toHaveBeenCalled();
  });

  test('leaves no listener at the signal of the caller', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await see(provider([{ throws: refused(500) }, whole]).model, {}, signal);
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});

describe('time limits', () => {
  const timeouts = { firstChunkMs: 200, chunkMs: 300, callMs: 5_000 };

  test.each<[string, Answer, unknown, number]>([
    [
      'until the provider takes the request',
      { connects: 201, acts: whole },
      { code: 'timeout', phase: 'first_chunk', ms: 200 },
      200,
    ],
    [
      'until the answer begins',
      [started, { wait: 199 }, { type: 'ping' }, 'silence'],
      { code: 'timeout', phase: 'first_chunk', ms: 200 },
      200,
    ],
    [
      'between two parts',
      [...text('Half'), { wait: 299 }, ...text('more', 'u'), 'silence'],
      { code: 'timeout', phase: 'chunk', ms: 300 },
      599,
    ],
    [
      'until something of the answer can be seen',
      [text('')[0]!, { wait: 150 }, { type: 'ping' }, 'silence'],
      { code: 'timeout', phase: 'first_chunk', ms: 200 },
      200,
    ],
    [
      'between two held calls',
      [toolCall('a')[3]!, { wait: 299 }, toolCall('b')[3]!, 'silence'],
      { code: 'timeout', phase: 'chunk', ms: 300 },
      599,
    ],
    [
      'empty deltas for ever',
      [
        ...text('Half').slice(0, 2),
        ...Array.from({ length: 50 }, () => [{ wait: 100 }, text('')[1]!]).flat(),
      ],
      { code: 'timeout', phase: 'chunk', ms: 300 },
      300,
    ],
    [
      'a byte now and then',
      [...text('x').slice(0, 2), ...Array.from({ length: 99 }, () => [{ wait: 100 }, text('x')[1]!]).flat()],
      { code: 'timeout', phase: 'call', ms: 5_000 },
      5_000,
    ],
  ])('%s', async (_what, answer, expected, at) => {
    for (const deaf of [false, true]) {
      const { model, calls } = provider([answer], { deaf });
      const began = performance.now();
      let ended: number | undefined;
      const seeing = see(model, { timeouts, retries: 0 }).finally(() => (ended = performance.now() - began));
      await vi.advanceTimersByTimeAsync(at);
      const { rejected, errored } = await seeing;
      expect(named(rejected ?? errored)).toEqual(expected);
      expect(ended).toBe(at);
      expect(calls[0]?.abortSignal?.reason).toBe(rejected ?? errored);
      await vi.advanceTimersByTimeAsync(10_000);
    }
  });

  test('are 90 s until there is something to see, 60 s between two parts, and none for the whole call', async () => {
    const messages: string[] = [];
    for (const answer of [
      { connects: 1e9, acts: [] },
      [started, 'silence'] as const,
      [...text('Hi'), 'silence'] as const,
    ]) {
      const seeing = see(provider([answer]).model, { retries: 0 });
      await vi.runAllTimersAsync();
      const { rejected, errored } = await seeing;
      messages.push(((rejected ?? errored) as Error).message);
    }
    const more = (option: string): string => `Try again, or allow it more time: options.timeout.${option}.`;
    expect(messages).toEqual([
      `The model said nothing within 90 s. ${more('firstChunkMs')}`,
      `The model said nothing within 90 s. ${more('firstChunkMs')}`,
      `The model fell silent for 60 s in the middle of its answer. ${more('chunkMs')}`,
    ]);
    const slow = [
      ...text('Hi').slice(0, 2),
      ...Array.from({ length: 99 }, () => [{ wait: 50_000 }, text('x')[1]!]).flat(),
      finish('stop'),
    ];
    const seeing = see(provider([slow]).model, { retries: 0 });
    await vi.runAllTimersAsync();
    expect((await seeing).parts.at(-1)).toEqual(finish('stop'));
  });

  test.each<[string, Answer]>([
    ['a provider that does not take the request', { connects: 1_001, acts: whole }],
    ['silence', [started, 'silence']],
    ['a block with nothing in it', [started, text('')[0]!, 'silence']],
  ])('until the first part is one limit: after %s nothing is tried again', async (_what, answer) => {
    const { model, calls } = provider([answer, whole]);
    const seeing = see(model, { timeouts });
    await vi.runAllTimersAsync();
    expect(named((await seeing).rejected)).toEqual({ code: 'timeout', phase: 'first_chunk', ms: 200 });
    expect(calls.length).toBe(1);
  });

  test('until the first part is one limit for all tries, which waits between them do not use up', async () => {
    const slowFailure: Answer = [started, { wait: 90 }, { breaks: reset }];
    const { model, calls } = provider([slowFailure, slowFailure, [started, 'silence']]);
    const began = performance.now();
    const sleep = (ms: number): Promise<void> => after(ms);
    const seeing = see(model, { timeouts, sleep, random: () => 0.5 }).finally(
      () => (ended = performance.now()),
    );
    let ended = 0;
    await vi.runAllTimersAsync();
    expect(named((await seeing).rejected)).toEqual({ code: 'timeout', phase: 'first_chunk', ms: 200 });
    expect([calls.length, ended - began]).toEqual([3, 200 + 500 + 1_000]);
  });

  test('heal as everything else does', async () => {
    const seeing = see(provider([[...text('Half').slice(0, 2), ...toolCall('a'), 'silence']]).model, {
      timeouts,
      repair: () => true,
    });
    await vi.runAllTimersAsync();
    expect(await seeing).toEqual({
      parts: [...text('Half').slice(0, 2), ...toolCall('a').slice(0, 3), text('')[2], healed],
    });
  });

  test('can be turned off', async () => {
    const never = { firstChunkMs: Infinity, chunkMs: Infinity };
    const seeing = see(
      provider([
        { connects: 1e8, acts: [started, { wait: 1e8 }, ...text('Late'), { wait: 1e8 }, finish('stop')] },
      ]).model,
      { timeouts: never },
    );
    await vi.runAllTimersAsync();
    expect((await seeing).parts).toEqual([started, ...text('Late'), finish('stop')]);
  });

  test('do not count against the model while nothing reads', async () => {
    const { model } = provider([
      [...text('Half'), ...text('more', 'u'), ...text('yet', 'v'), finish('stop')],
    ]);
    const { stream } = await (withRetries(model, { timeouts }) as LanguageModelV4).doStream({ prompt: [] });
    await vi.advanceTimersByTimeAsync(1_000);
    const reader = stream.getReader();
    for (let count = 0; count < 5; count += 1) await reader.read();
    await vi.advanceTimersByTimeAsync(1_000);
    reader.releaseLock();
    expect((await all(stream)).map(({ type }) => type)).toEqual([
      'text-end',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
  });

  test('have their own name, also if the provider reports the abort first', async () => {
    const { model } = provider([whole]);
    model.doStream = ({ abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')));
      });
    const seeing = see(model, { timeouts, retries: 0 });
    await vi.runAllTimersAsync();
    expect(named((await seeing).rejected)).toEqual({ code: 'timeout', phase: 'first_chunk', ms: 200 });
  });

  test.each<[string, readonly Act[], readonly number[], unknown]>([
    ['once', [{ wait: 550 }, ...text('more', 'u'), finish('stop')], [299], undefined],
    [
      'twice, as something came in between',
      [{ wait: 550 }, ...text('more', 'u'), { wait: 550 }, finish('stop')],
      [299, 849],
      undefined,
    ],
    [
      'for the whole call, too',
      [
        { wait: 290 },
        text('x')[1]!,
        { wait: 290 },
        text('x')[1]!,
        { wait: 290 },
        text('x')[1]!,
        { wait: 290 },
        finish('stop'),
      ],
      [899],
      undefined,
    ],
    [
      'for the whole call twice, as something came in between',
      [...Array.from({ length: 8 }, () => [{ wait: 290 }, text('x')[1]!]).flat(), finish('stop')],
      [899, 1_799],
      undefined,
    ],
    ['once, and then nothing comes', ['silence'], [299], { at: 600, phase: 'chunk', ms: 300 }],
    ['twice, and nothing comes', ['silence'], [299, 599], { at: 600, phase: 'chunk', ms: 300 }],
    ['for less than a timer may be late', ['silence'], [], { at: 300, phase: 'chunk', ms: 300 }],
  ])('a page that was frozen has its time once more: %s', async (_what, acts, freezes, expected) => {
    // the clock goes on while the page is frozen, and its timers go off afterwards
    let skipped = 0;
    const began = performance.now();
    const now = () => performance.now() + skipped;
    const { model } = provider([[...text('Half').slice(0, 2), ...acts]]);
    let ended: number | undefined;
    const seeing = see(model, { timeouts: { ...timeouts, callMs: 900 }, now }).finally(
      () => (ended = performance.now() - began),
    );
    for (const at of freezes) {
      await vi.advanceTimersByTimeAsync(at - (performance.now() - began));
      skipped += 3_600_000;
    }
    await vi.advanceTimersByTimeAsync(3_000);
    const { errored } = await seeing;
    expect(errored === undefined ? undefined : { at: ended, ...(errored as CuelineError).details }).toEqual(
      expected,
    );
  });
});

describe('in a run', () => {
  const definition = definePrompt('looker', (prompt) => {
    prompt.defTool('find', 'Finds', z.object({}), () => 'found');
    prompt.$`Go.`;
  });

  test('tools run once the answer is whole', async () => {
    vi.useRealTimers();
    const { model, events } = await play(definition, [
      ['I look. ', call('find'), call('find', {}, 'x')],
      'Done.',
    ]);

    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(model.calls.length).toBe(2);
  });

  test('a broken answer ends it by its name, and runs no tool', async () => {
    vi.useRealTimers();
    const { model, calls } = provider([[started, ...text('I look.'), ...toolCall('a'), { breaks: reset }]]);
    const { run } = await runPrompt(definition, {
      model,
      options: { maxRetries: 0 },
    });
    await run.finished;
    expect(run.log().map(({ type }) => type)).not.toContain('tool-start');
    expect(run.log().at(-1)).toMatchObject({ type: 'run-end', error: { code: 'stream_truncated' } });
    expect(calls.length).toBe(1);
  });
});
