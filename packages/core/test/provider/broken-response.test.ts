import type { LanguageModelV4 } from '@ai-sdk/provider';
import { runPrompt } from '@cueline/core';
import { describe, expect, test, vi } from 'vitest';
import { withRetries, type RetrySettings } from '../../src/provider/with-retries.ts';
import { whole, refused, browserFailure, reset, named, reasoning, fakeClock } from '../support/retries.ts';
import {
  finish,
  healed,
  noUsage,
  provider,
  see,
  started,
  text,
  toolCall,
  usage,
  type Answer,
  type Part,
} from '../support/scripted-provider.ts';

fakeClock();

describe('a broken answer', () => {
  const begun = [started, ...text('Half').slice(0, 2), ...toolCall('a'), ...toolCall('b', '{"q').slice(0, 2)];
  const ends: Part[] = [
    { type: 'text-end', id: 't' },
    { type: 'tool-input-end', id: 'b' },
  ];
  const cutOff = (finishReason: string) => ({ code: 'stream_truncated', finishReason });
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
    ['the finish reason error', [...begun, finish('error')], cutOff('error')],
    ['the finish reason interrupted', [...begun, finish('interrupted')], cutOff('interrupted')],
    ['a cut inside arguments, although it says stop', [...begun, finish('stop')], cutOff('stop')],
    ['an end at the token limit', [...begun, finish('length')], cutOff('length')],
    [
      'a filter',
      [...begun, finish('content-filter')],
      { code: 'content_filter', finishReason: 'content-filter' },
    ],
  ])('ends with an error after %s', async (_what, answer, expected) => {
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

  test.each(['error', 'interrupted'] as const)(
    'ends with an error for the finish reason %s alone',
    async (reason) => {
      const { errored } = await see(provider([[...text('Hi'), finish(reason)]]).model);
      expect(named(errored)).toEqual(cutOff(reason));
      expect((errored as Error).message).toBe('The model ended its answer without a reason. Try again.');
    },
  );

  const zero = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
  test.each<[string, typeof usage]>([
    ['no tokens', noUsage],
    ['0 tokens', { inputTokens: zero, outputTokens: { total: 0, text: 0, reasoning: 0 } }],
  ])('ends with an error for a finish that only the package made, with %s', async (_what, none) => {
    const made: Part = { type: 'finish', usage: none, finishReason: { unified: 'other', raw: undefined } };
    const { errored } = await see(provider([[...text('Half'), made]]).model);
    expect(named(errored)).toEqual(cutOff('error'));
    const sent = await see(provider([[...text('Hi'), { ...made, usage }]]).model);
    expect(sent.errored).toBeUndefined();
  });

  test('ends with an error if only the package made the finish, for a provider that sends tokens with every part', async () => {
    const made: Part = { type: 'finish', usage, finishReason: { unified: 'other', raw: undefined } };
    const { model } = provider([[...text('Half'), made]]);
    const { errored } = await see(Object.assign(model, { provider: 'perplexity' }));
    expect(named(errored)).toEqual(cutOff('error'));
  });

  test('ends with an error for the finish reason error that its package does not know', async () => {
    const failed: Part = { type: 'finish', usage, finishReason: { unified: 'other', raw: 'error' } };
    const { errored } = await see(provider([[...text('Half'), failed]]).model);
    expect(named(errored)).toEqual(cutOff('error'));
  });

  test("has an error with the provider's own reason, if it gives one", async () => {
    const failed = { ...finish('error'), finishReason: { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' } };
    const { errored } = await see(provider([[...text('Hi'), failed as Part]]).model);
    expect((errored as Error).message).toBe(
      'The model ended its answer early: MALFORMED_FUNCTION_CALL. Try again.',
    );
  });

  test.each<[string, Part[]]>([
    ['nothing', []],
    ['an empty text', [text('')[0]!, text('')[2]!]],
    ['a part that only the provider reads', [{ type: 'custom', kind: 'anthropic.message_start' }]],
    ['reasoning', reasoning],
  ])('is an error that names the token limit, after %s, and its tokens count', async (_what, before) => {
    vi.useRealTimers();
    const { model, calls } = provider([[started, ...before, finish('length')]]);
    const { run } = await runPrompt((prompt) => prompt.$`Think.`, { model });
    const { status, error, usage: tokens } = await run.finished;
    expect(status).toBe('error');
    expect(error?.message).toBe(
      'The model reached its token limit before it answered. Raise maxOutputTokens.',
    );
    expect(tokens).toEqual({ inputTokens: 3, outputTokens: 2, totalTokens: 5 });
    expect(calls.length).toBe(1);
  });

  test('has an error that names the token limit and says that no call was made', async () => {
    const { errored } = await see(provider([[...text('Hi'), ...toolCall('a'), finish('length')]]).model);
    expect((errored as Error).message).toBe(
      'The answer was cut off at the token limit, so none of its tool calls were made. Raise maxOutputTokens, or ask for less at once.',
    );
  });

  test('is not requested again, because some of it is visible', async () => {
    const { model, calls } = provider([[...text('Half'), { breaks: browserFailure }], whole]);
    const { errored } = await see(model);
    expect(named(errored)).toEqual({ code: 'network' });
    expect(calls.length).toBe(1);
  });
});

describe('stopping a call', () => {
  const reason = new Error('The user left.');

  test('before it starts calls no model', async () => {
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
      'while it waits for an answer that is not retried',
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
      'while the answer is reported',
      [...text('All'), finish('stop')],
      { onAnswer: () => new Promise(() => {}) },
      3,
    ],
  ])('%s ends it at once', async (_what, answer, settings, count) => {
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
      // a provider that ignores its signal is disconnected as soon as it answers
      await vi.advanceTimersByTimeAsync(10_000);
      if (deaf && !('throws' in answer)) expect(cancelled).toEqual([0]);
    }
  });

  test('by the reader of the answer ends the model call', async () => {
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

  test('leaves no listener on the signal of the caller', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await see(provider([{ throws: refused(500) }, whole]).model, {}, signal);
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});
