import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repairMessages } from '../../../src/agents/session/repair-messages.ts';
import { pairToolMessages } from '../../../src/messages/pair-tool-messages.ts';
import { json } from '../../support.ts';
import { startCpuTime } from '../../support/cpu-time.ts';
import { short } from './sessions.ts';

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

describe('repairing messages', () => {
  test('complete messages stay unchanged', () => {
    const whole = [user, call('a', 'b'), result('a'), result('b'), text, user, call('c'), result('c')];
    const mended = repairMessages(whole);
    expect(mended).toEqual(whole);
    for (const [index, message] of mended.entries()) expect(message).toBe(whole[index]);
  });

  test('a message may have more results than a function takes arguments', () => {
    const ids = Array.from({ length: 150_000 }, (_, n) => `c${n}`);
    const caller = {
      role: 'assistant',
      content: ids.flatMap((id) => call(id).content as []),
    } as ModelMessage;
    const whole = [user, caller, ...ids.map((id) => result(id))];
    expect(repairMessages(whole)).toHaveLength(whole.length);
  });

  test('a call without a result gets the given answer, or counts as interrupted', () => {
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
            output: {
              type: 'error-text',
              value: expect.stringMatching(/^This call was interrupted before its end\./),
            },
          },
          { type: 'tool-result', toolCallId: 'c', toolName: 'c', output: { type: 'json', value: { n: 1 } } },
        ],
      },
    ]);
  });

  test('a call that waits for the provider is removed, and an answered call stays', () => {
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

  test('a result without its call is removed, and a duplicate counts once', () => {
    expect(repairMessages([result('x'), user, call('a'), result('a', 'a'), result('a'), text])).toEqual([
      user,
      call('a'),
      result('a'),
      text,
    ]);
  });

  test('names that every object has are not taken as answers', () => {
    expect(short(repairMessages([call('constructor'), call('__proto__')]))).toBe(
      'assistant(constructor), tool(constructor!), assistant(__proto__), tool(__proto__!)',
    );
  });

  test('separated calls and results are completed from the whole conversation, also in a copy', () => {
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

  test('calls with the same id are distinguished by their messages', () => {
    const whole = [user, call('a'), result('a'), user, call('a'), result('a'), text];
    (whole[5]!.content as unknown as { output: unknown }[])[0]!.output = { type: 'text', value: 'second' };
    expect(repairMessages([whole[1]!], { whole })).toEqual([whole[1], whole[2]]);
    expect(repairMessages([whole[4]!], { whole })).toEqual([whole[4], whole[5]]);
    expect(repairMessages([user, whole[2]!], { whole })).toEqual([user, whole[1], whole[2]]);
  });

  test('calls that a provider runs itself stay unchanged', () => {
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

describe('laws of repairing messages', () => {
  test('for any messages, each call is followed by its result, and by nothing else', () => {
    fc.assert(
      fc.property(anyMessages, anyMessages, (messages, whole) => {
        const mended = repairMessages(messages, { whole });
        expect(pairToolMessages(mended)).toEqual(mended);
      }),
    );
  });

  test('repairing twice is the same as repairing once', () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        const once = repairMessages(messages);
        expect(repairMessages(once)).toEqual(once);
      }),
    );
  });

  test('no text is lost or reordered', () => {
    const words = (messages: readonly ModelMessage[]): unknown[] =>
      messages.filter(({ content }) => typeof content === 'string');
    fc.assert(
      fc.property(anyMessages, (messages) => {
        expect(words(repairMessages(messages))).toEqual(words(messages));
      }),
    );
  });

  test('the time grows linearly with the number of messages', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => [call(`c${at}`), user]).flat();
    const cpuTime = startCpuTime();
    expect(repairMessages(many, { whole: many })).toHaveLength(60_000);
    expect(cpuTime()).toBeLessThan(1_500);
  });
});
