import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { CuelineError } from '@cueline/core';
import { describe, expect, test, vi } from 'vitest';
import { withRetries, type RetrySettings } from '../../src/provider/with-retries.ts';
import { whole, reset, named, fakeClock } from '../support/retries.ts';
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
  type Act,
  type Answer,
} from '../support/scripted-provider.ts';

fakeClock();

describe('time limits', () => {
  const timeouts = { firstChunkMs: 200, chunkMs: 300, callMs: 5_000 };
  const noFirstChunk = { code: 'timeout', phase: 'first_chunk', ms: 200 };
  const noChunk = { code: 'timeout', phase: 'chunk', ms: 300 };

  /** What a reader has seen once all timers have gone off. */
  async function seeAll(model: LanguageModelV4, settings: RetrySettings) {
    const seeing = see(model, settings);
    await vi.runAllTimersAsync();
    return seeing;
  }

  test.each<[string, Answer, unknown, number]>([
    ['until the provider takes the request', { connects: 201, acts: whole }, noFirstChunk, 200],
    ['until the answer begins', [started, { wait: 199 }, { type: 'ping' }, 'silence'], noFirstChunk, 200],
    ['between two parts', [...text('Half'), { wait: 299 }, ...text('more', 'u'), 'silence'], noChunk, 599],
    [
      'until something of the answer is visible',
      [text('')[0]!, { wait: 150 }, { type: 'ping' }, 'silence'],
      noFirstChunk,
      200,
    ],
    [
      'between two held calls',
      [toolCall('a')[3]!, { wait: 299 }, toolCall('b')[3]!, 'silence'],
      noChunk,
      599,
    ],
    [
      'empty deltas for ever',
      [
        ...text('Half').slice(0, 2),
        ...Array.from({ length: 50 }, () => [{ wait: 100 }, text('')[1]!]).flat(),
      ],
      noChunk,
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

  test('are 90 s until the first visible part, 60 s between two parts, and none for the whole call', async () => {
    const messages: string[] = [];
    for (const answer of [
      { connects: 1e9, acts: [] },
      [started, 'silence'] as const,
      [...text('Hi'), 'silence'] as const,
    ]) {
      const { rejected, errored } = await seeAll(provider([answer]).model, { retries: 0 });
      messages.push(((rejected ?? errored) as Error).message);
    }
    const more = (option: string): string => `Try again, or allow it more time: options.timeout.${option}.`;
    expect(messages).toEqual([
      `The model sent nothing within 90 s. ${more('firstChunkMs')}`,
      `The model sent nothing within 90 s. ${more('firstChunkMs')}`,
      `The model sent nothing for 60 s in the middle of its answer. ${more('chunkMs')}`,
    ]);
    const slow = [
      ...text('Hi').slice(0, 2),
      ...Array.from({ length: 99 }, () => [{ wait: 50_000 }, text('x')[1]!]).flat(),
      finish('stop'),
    ];
    const { parts } = await seeAll(provider([slow]).model, { retries: 0 });
    expect(parts.at(-1)).toEqual(finish('stop'));
  });

  test.each<[string, Answer]>([
    ['a provider that does not take the request', { connects: 1_001, acts: whole }],
    ['silence', [started, 'silence']],
    ['a block with nothing in it', [started, text('')[0]!, 'silence']],
  ])('have no retry after %s, because the time to the first part is one limit', async (_what, answer) => {
    const { model, calls } = provider([answer, whole]);
    const { rejected } = await seeAll(model, { timeouts });
    expect(named(rejected)).toEqual(noFirstChunk);
    expect(calls.length).toBe(1);
  });

  test('count all tries until the first part together, without the waits between them', async () => {
    const slowFailure: Answer = [started, { wait: 90 }, { breaks: reset }];
    const { model, calls } = provider([slowFailure, slowFailure, [started, 'silence']]);
    const began = performance.now();
    const sleep = (ms: number): Promise<void> => after(ms);
    const seeing = see(model, { timeouts, sleep, random: () => 0.5 }).finally(
      () => (ended = performance.now()),
    );
    let ended = 0;
    await vi.runAllTimersAsync();
    expect(named((await seeing).rejected)).toEqual(noFirstChunk);
    expect([calls.length, ended - began]).toEqual([3, 200 + 500 + 1_000]);
  });

  test('end the answer after its visible parts if errors are repaired', async () => {
    const { model } = provider([[...text('Half').slice(0, 2), ...toolCall('a'), 'silence']]);
    expect(await seeAll(model, { timeouts, repair: () => true })).toEqual({
      parts: [...text('Half').slice(0, 2), ...toolCall('a').slice(0, 3), text('')[2], healed],
    });
  });

  test('can be turned off', async () => {
    const never = { firstChunkMs: Infinity, chunkMs: Infinity };
    const { model } = provider([
      { connects: 1e8, acts: [started, { wait: 1e8 }, ...text('Late'), { wait: 1e8 }, finish('stop')] },
    ]);
    const { parts } = await seeAll(model, { timeouts: never });
    expect(parts).toEqual([started, ...text('Late'), finish('stop')]);
  });

  test('do not count while nothing reads the answer', async () => {
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

  test('have their own error, also if the provider reports the abort first', async () => {
    const { model } = provider([whole]);
    model.doStream = ({ abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')));
      });
    const { rejected } = await seeAll(model, { timeouts, retries: 0 });
    expect(named(rejected)).toEqual(noFirstChunk);
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
  ])('start again in a page that was frozen: %s', async (_what, acts, freezes, expected) => {
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
