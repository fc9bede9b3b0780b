import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pairToolMessages } from '../../../src/messages/pair-tool-messages.ts';
import { INTERRUPTED } from '../../../src/log/settle-open-calls.ts';
import { repairMessages } from '../../../src/agents/session/repair-messages.ts';
import { json, short } from './sessions.ts';

const call = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: toolCallId, input: {} })),
});
const result = (...ids: string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: toolCallId,
    output: { type: 'text', value: `of ${toolCallId}` },
  })),
});
const user: ModelMessage = { role: 'user', content: 'Go on.' };
const text: ModelMessage = { role: 'assistant', content: 'So.' };

describe('mending', () => {
  test('what is whole stays as it is', () => {
    const whole = [user, call('a', 'b'), result('a'), result('b'), text, user, call('c'), result('c')];
    const mended = repairMessages(whole);
    expect(mended).toEqual(whole);
    for (const [index, message] of mended.entries()) expect(message).toBe(whole[index]);
  });

  test('a call without its result was interrupted, or gets the given answer', () => {
    expect(repairMessages([user, call('a', 'b', 'c'), result('b')], { answers: { c: { n: 1 } } })).toEqual([
      user,
      call('a', 'b', 'c'),
      {
        role: 'tool',
        content: [
          ...(result('b').content as []),
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'a',
            output: { type: 'error-text', value: INTERRUPTED },
          },
          { type: 'tool-result', toolCallId: 'c', toolName: 'c', output: { type: 'json', value: { n: 1 } } },
        ],
      },
    ]);
  });

  test('a call that waits for the provider is removed, and an answered one stays', () => {
    const asks: ModelMessage = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me pay.' },
        { type: 'tool-call', toolCallId: 'p', toolName: 'pay', input: {}, providerExecuted: true },
        { type: 'tool-approval-request', approvalId: 'r', toolCallId: 'p' },
      ],
    };
    const answers: ModelMessage = {
      role: 'tool',
      content: [
        { type: 'tool-approval-response', approvalId: 'r', approved: true, providerExecuted: true } as never,
      ],
    };
    expect(repairMessages([user, asks, answers, text])).toEqual([user, asks, answers, text]);
    const said = { role: 'assistant', content: [{ type: 'text', text: 'Let me pay.' }] };
    expect(repairMessages([user, asks, user])).toEqual([user, said, user]);
    const alone: ModelMessage = { role: 'assistant', content: asks.content.slice(1) as never };
    expect(repairMessages([user, alone])).toEqual([user]);
  });

  test('a result without its call is left out, a duplicate counts once', () => {
    expect(repairMessages([result('x'), user, call('a'), result('a', 'a'), result('a'), text])).toEqual([
      user,
      call('a'),
      result('a'),
      text,
    ]);
  });

  test('a name that every object has is not an answer', () => {
    expect(short(repairMessages([call('constructor'), call('__proto__')]))).toBe(
      'assistant(constructor), tool(constructor!), assistant(__proto__), tool(__proto__!)',
    );
  });

  test('pairs that were torn apart are completed from the whole, also in a copy', () => {
    const whole = [user, call('a', 'b'), result('a', 'b'), user, call('c'), result('c'), text];
    for (const given of [whole, json(whole)]) {
      expect(repairMessages([user, text, given[2]!], { whole })).toEqual([
        user,
        text,
        call('a', 'b'),
        result('a', 'b'),
      ]);
      expect(repairMessages([given[4]!, user], { whole })).toEqual([call('c'), result('c'), user]);
    }
  });

  test('ids that a model uses again differ by their messages', () => {
    const whole = [user, call('a'), result('a'), user, call('a'), result('a'), text];
    (whole[5]!.content as unknown as { output: unknown }[])[0]!.output = { type: 'text', value: 'second' };
    expect(repairMessages([whole[1]!], { whole })).toEqual([whole[1], whole[2]]);
    expect(repairMessages([whole[4]!], { whole })).toEqual([whole[4], whole[5]]);
    expect(repairMessages([user, whole[2]!], { whole })).toEqual([user, whole[1], whole[2]]);
  });

  test('what a provider runs itself is left alone', () => {
    const search: ModelMessage = {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'w', toolName: 'web', input: {}, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'w', toolName: 'web', output: { type: 'text', value: 'x' } },
      ],
    };
    expect(repairMessages([user, search, user])).toEqual([user, search, user]);
  });
});

const ids = fc.subarray(['a', 'b', 'c', 'd'], { minLength: 1 });
const anyMessages = fc.array(
  fc.oneof(
    fc.constant(user),
    fc.constant(text),
    ids.map((given) => call(...given)),
    ids.map((given) => result(...given)),
  ),
  { maxLength: 20 },
);

describe('laws of mending', () => {
  test('for any messages, each call is followed by its result, and by nothing else', () => {
    fc.assert(
      fc.property(anyMessages, anyMessages, (messages, whole) => {
        const mended = repairMessages(messages, { whole });
        expect(pairToolMessages(mended)).toEqual(mended);
      }),
    );
  });

  test('mending twice is mending once', () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        const once = repairMessages(messages);
        expect(repairMessages(once)).toEqual(once);
      }),
    );
  });

  test('no words are lost, and their order stays', () => {
    const words = (messages: readonly ModelMessage[]): unknown[] =>
      messages.filter(({ content }) => typeof content === 'string');
    fc.assert(
      fc.property(anyMessages, (messages) => {
        expect(words(repairMessages(messages))).toEqual(words(messages));
      }),
    );
  });

  test('its time grows with the number of messages', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => [call(`c${at}`), user]).flat();
    const started = performance.now();
    expect(repairMessages(many, { whole: many })).toHaveLength(60_000);
    expect(performance.now() - started).toBeLessThan(1_500);
  });
});
