import { describe, expect, test } from 'vitest';
import { ask, chatBody, events, fixture, parts, sse } from './support.ts';

/** Written as 1,000 tokens, at four characters each. */
const word = 'four';
const count = 1_000;
const times = (item: (text: string) => unknown): unknown[] => Array.from({ length: count }, () => item(word));

type Format = {
  ask: Parameters<typeof ask>[0];
  /** Texts of each kind that the answer can have. */
  kinds: Record<string, (text: string) => unknown>;
  /** What comes last, with the output that the provider says. */
  end(output: number): unknown[];
};

const choice = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const called = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
const chat: Omit<Format, 'ask'> = {
  kinds: {
    text: (content) => choice({ content }),
    reasoning: (text) => choice({ reasoning_content: text }),
    'a call': (text) => choice(called(text)),
  },
  end: (output) => [
    choice({}, { finish_reason: 'stop' }),
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: output } },
  ],
};
const stream = true;

const formats: Record<string, Format> = {
  chat: { ...chat, ask: { body: { ...chatBody, stream } } },
  mistral: {
    ask: { path: '/mistral/chat/completions', body: { ...chatBody, model: 'mistral-x', stream } },
    kinds: {
      text: (content) => choice({ content }),
      parts: (text) => choice({ content: [{ type: 'text', text }] }),
      reasoning: (text) => choice({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
      'a call': (text) => choice(called(text)),
    },
    end: (output) => [
      choice({}, { finish_reason: 'stop', usage: { prompt_tokens: 5, completion_tokens: output } }),
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: output } },
    ],
  },
  responses: {
    ask: { path: '/openai/responses', body: { model: 'gpt-x', input: 'Hi', stream } },
    kinds: {
      text: (delta) => ({ type: 'response.output_text.delta', delta, obfuscation: 'x'.repeat(40) }),
      reasoning: (delta) => ({ type: 'response.reasoning_summary_text.delta', delta }),
      'a call': (delta) => ({ type: 'response.function_call_arguments.delta', delta }),
    },
    end: (output) => [
      // which have the whole once more
      { type: 'response.output_text.done', text: word.repeat(count) },
      {
        type: 'response.completed',
        response: {
          output: [{ type: 'message', content: [{ type: 'output_text', text: word.repeat(count) }] }],
          usage: { input_tokens: 5, output_tokens: output },
        },
      },
    ],
  },
  messages: {
    ask: {
      path: '/anthropic/messages',
      body: { model: 'claude-x', messages: chatBody.messages, max_tokens: 4_000, stream },
    },
    kinds: {
      text: (text) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } }),
      reasoning: (thinking) => ({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking } }),
      'a call': (text) => ({
        type: 'content_block_delta',
        delta: { type: 'input_json_delta', partial_json: text },
      }),
    },
    end: (output) => [
      { type: 'message_delta', delta: {}, usage: { input_tokens: 5, output_tokens: output } },
    ],
  },
  google: {
    ask: {
      path: '/google/models/gemini-x:streamGenerateContent',
      body: { contents: [{ parts: [{ text: 'Hi' }] }] },
    },
    kinds: {
      text: (text) => ({ candidates: [{ content: { parts: [{ text }] } }] }),
      reasoning: (text) => ({ candidates: [{ content: { parts: [{ text, thought: true }] } }] }),
    },
    end: (output) => [
      {
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: output },
      },
    ],
  },
};

const cases = Object.entries(formats).flatMap(([name, format]) =>
  Object.entries(format.kinds).map(([kind, item]) => ({ name, kind, item, format })),
);

async function charged(
  { ask: request }: Format,
  answer: () => Response,
): Promise<{ output: number; basis: string }> {
  const { proxy, events: told } = fixture(answer);
  await (await proxy(ask(request))).text();
  const end = told.findLast((event) => event.type === 'end');
  if (end?.type !== 'end') throw new Error('The call has no end.');
  return { output: end.tokens.output, basis: end.basis };
}

describe.each(cases)('$name, $kind: the reported usage of a streamed answer', ({ item, format }) => {
  test.each([0, 1, 499])('is ignored if it is less than half of what arrived: %i', async (said) => {
    const answer = () => events([...times(item), ...format.end(said)]);
    expect(await charged(format, answer)).toEqual({ output: count, basis: 'seen' });
  });

  test.each([500, 1_000, 3_000])('is used if it is plausible: %i', async (said) => {
    const answer = () => events([...times(item), ...format.end(said)]);
    expect(await charged(format, answer)).toEqual({ output: said, basis: 'reported' });
  });
});

test('texts are counted in characters, not in escape sequences', async () => {
  const escaped = JSON.stringify(choice({ content: '語'.repeat(4_000) })).replaceAll('語', '\\u8a9e');
  const answer = (said: number) => () => events([escaped, ...chat.end(said)]);
  expect(await charged(formats['chat']!, answer(500))).toEqual({ output: 500, basis: 'reported' });
  expect(await charged(formats['chat']!, answer(499))).toEqual({ output: 1_000, basis: 'seen' });
});

test('text that looks like a field of an event counts once', async () => {
  const content = '{"content":"four"}'.repeat(222);
  const answer = (said: number) => () => events([choice({ content }), ...chat.end(said)]);
  expect(await charged(formats['chat']!, answer(500))).toEqual({ output: 500, basis: 'reported' });
});

test('a report in the middle of an answer is not final: a cut-off answer costs the reservation', async () => {
  const chunk = { ...choice({ content: 'Hi' }), usage: { prompt_tokens: 5, completion_tokens: 1 } };
  const answer = () => new Response(parts([`data: ${JSON.stringify(chunk)}\n\n`], 'error'), sse);
  expect(await charged(formats['chat']!, answer)).toEqual({ output: 4_096, basis: 'reserved' });
  const end = { ...choice({}, { finish_reason: 'stop' }), usage: { prompt_tokens: 5, completion_tokens: 3 } };
  expect(await charged(formats['chat']!, () => events([chunk, end]))).toEqual({
    output: 3,
    basis: 'reported',
  });
});
