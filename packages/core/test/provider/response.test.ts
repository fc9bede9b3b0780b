import { type LanguageModelV2, type LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, test, vi } from 'vitest';
import { withRetries, type ModelResponse } from '../../src/provider/with-retries.ts';
import { whole, reset, reasoning, signature, fakeClock } from '../support/retries.ts';
import { after } from '../support/runs.ts';
import {
  all,
  finish,
  healed,
  provider,
  see,
  started,
  text,
  toolCall,
  type Part,
} from '../support/scripted-provider.ts';

const search = {
  type: 'tool-call',
  toolCallId: 's',
  toolName: 'search',
  input: '{}',
  providerExecuted: true,
} as const;

fakeClock();

describe('an answer', () => {
  test('passes unchanged if it is complete, with the name of its model and the metadata of its request', async () => {
    const { model, calls } = provider([whole]);
    const steady = withRetries(model, {}) as LanguageModelV4;
    expect([steady.specificationVersion, steady.provider, steady.modelId]).toEqual(['v4', 'lab', 'm-1']);
    const { stream, request } = await steady.doStream({ prompt: [], temperature: 0.3 });
    expect(await all(stream)).toEqual(whole);
    expect(request).toEqual({ body: { number: 0 } });
    expect(calls.map(({ temperature }) => temperature)).toEqual([0.3]);
  });

  test('of a model with an older interface is converted to the present one', async () => {
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

  test('is read to the end of its response, so that the connection can be reused', async () => {
    const { model, cancelled } = provider([[...whole, { wait: 500 }, { type: 'ping' }]]);
    expect(await see(model)).toEqual({ parts: whole });
    await vi.runAllTimersAsync();
    expect(cancelled).toEqual([]);
  });

  test('does not wait for the end of its response, and gives that up after a second', async () => {
    const { model, cancelled } = provider([[...whole, 'silence']]);
    expect(await see(model)).toEqual({ parts: whole });
    await vi.advanceTimersByTimeAsync(999);
    expect(cancelled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(cancelled).toEqual([0]);
  });

  test('ends with the error of the callback if the report fails', async () => {
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
      'has the finish reason tool-calls and no calls',
      [...text('Hi'), finish('tool-calls')],
      [...text('Hi'), { ...finish('stop'), finishReason: { unified: 'stop', raw: 'tool-calls' } } as Part],
    ],
    [
      'makes calls and has the finish reason stop',
      [...toolCall('a'), finish('stop')],
      [...toolCall('a'), finish('stop')],
    ],
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
    ['continues after its end', [...whole, ...text('More')], whole],
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
  ])('is passed on well-formed if it %s', async (_what, given, expected) => {
    expect(await see(provider([given]).model, { retries: 0 })).toEqual({ parts: expected });
  });

  describe('an answer with calls of the provider', () => {
    const result = { type: 'tool-result', toolCallId: 's', toolName: 'search', result: 'found' } as const;
    const request = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 's' } as const;
    const heal = () => true;

    test('shows them where they were made, with their results', async () => {
      const given = [search, result, ...text('Found.'), finish('stop')];
      expect(await see(provider([given]).model)).toEqual({ parts: given });
    });

    test('leaves no call without a result if it is cut off', async () => {
      const half = [search, { ...result, preliminary: true }, ...text('Hm')];
      const { parts } = await see(provider([[...half, { breaks: reset }]]).model, { repair: heal });
      expect(parts).toEqual([
        ...half,
        { ...result, result: 'The answer ended before the result arrived.', isError: true },
        healed,
      ]);
      const done = [search, result];
      expect((await see(provider([[...done, { breaks: reset }]]).model, { repair: heal })).parts).toEqual([
        ...done,
        healed,
      ]);
    });

    test('requests an approval once it is complete', async () => {
      const { parts } = await see(provider([[search, request, ...text('May I?'), finish('stop')]]).model);
      expect(parts).toEqual([search, ...text('May I?'), request, finish('stop')]);
      const broken = await see(provider([[search, request, { breaks: reset }]]).model, { repair: heal });
      expect(broken.parts).not.toContainEqual(request);
    });

    test('keeps results after their calls, and under their new ids', async () => {
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
    [
      'with a generated id that is taken',
      [...toolCall('a~2'), ...toolCall('a'), ...toolCall('a')],
      ['a~2', 'a', 'a~3'],
    ],
    ['without arguments first', [toolCall('a')[3]!, toolCall('a')[3]!], ['a', 'a~2']],
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

  test('are made unique for two calls with one id that stream at once', async () => {
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

  test('are found without trying the id of every call before', async () => {
    const given = Array.from({ length: 1_000 }, () => toolCall('a')[3]!);
    const tried = vi.spyOn(Set.prototype, 'has');
    const { parts } = await see(provider([[...given, finish('tool-calls')]]).model);
    expect(parts.at(-2)).toMatchObject({ toolCallId: 'a~1000' });
    expect(tried.mock.calls.filter(([id]) => String(id).startsWith('a~')).length).toBeLessThan(3_000);
    tried.mockRestore();
  });

  test('are kept if they are empty', async () => {
    const { parts } = await see(provider([[...toolCall(''), ...toolCall(''), finish('stop')]]).model);
    const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    expect(ids).toEqual([expect.stringMatching(/^call-\w{16}$/), expect.stringMatching(/^call-\w{16}$/)]);
    expect(new Set(ids).size).toBe(2);
    const begun = parts.flatMap((part) => (part.type === 'tool-input-start' ? [part.id] : []));
    expect(begun).toEqual(ids);
  });
});
