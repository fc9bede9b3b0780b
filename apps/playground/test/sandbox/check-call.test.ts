import type { CuelineError } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { checkCall } from '../../src/sandbox/host/check-call.ts';
import { createIssuedMetadata } from '../../src/sandbox/host/issued-metadata.ts';

const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
const file = (data: unknown): unknown => ({
  prompt: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] }],
});
const never = (): boolean => false;

describe('the model calls that a script may make', () => {
  test('pass messages, settings and function tools unchanged', () => {
    const options = {
      prompt: [
        { role: 'system', content: 'Be brief.' },
        ...prompt,
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm.' },
            { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { x: 1 } },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'json', value: [1] } },
          ],
        },
      ],
      maxOutputTokens: 10,
      temperature: 0.5,
      stopSequences: ['END'],
      responseFormat: { type: 'json', schema: { type: 'object' } },
      tools: [{ type: 'function', name: 'look', inputSchema: { type: 'object' } }],
      toolChoice: { type: 'tool', toolName: 'look' },
      reasoning: 'low',
    };
    expect(checkCall(options, never)).toEqual({ options, dropped: [] });
  });

  test('have files as data or text', () => {
    expect(() => checkCall(file({ type: 'data', data: 'iVBORw0KGgo=' }), never)).not.toThrow();
    expect(() => checkCall(file({ type: 'text', text: 'a,b' }), never)).not.toThrow();
  });
});

describe('a model call is refused with', () => {
  test.each<[string, unknown]>([
    ['headers', { prompt, headers: { authorization: 'Bearer x' } }],
    ['an unknown field', { prompt, baseURL: 'https://evil.example' }],
    ['raw chunks', { prompt, includeRawChunks: true }],
    ['no prompt', {}],
    ['nothing', null],
    [
      'a tool on the provider’s side',
      { prompt, tools: [{ type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} }] },
    ],
    ['a file by address', file({ type: 'url', url: 'https://evil.example/?q=secret' })],
    ['a file of the account', file({ type: 'reference', reference: { openai: 'file-123' } })],
    ['an id of a file in the place of data', file({ type: 'data', data: 'file-123' })],
    [
      'a file by address in a tool’s result',
      {
        prompt: [
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'a',
                toolName: 'look',
                output: {
                  type: 'content',
                  value: [
                    { type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'https://a.example' } },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
    [
      'a call that the provider executes',
      {
        prompt: [
          {
            role: 'assistant',
            content: [
              { type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {}, providerExecuted: true },
            ],
          },
        ],
      },
    ],
  ])('%s', (_what, options) => {
    expect(() => checkCall(options, never)).toThrow(
      expect.objectContaining({ code: 'sandbox_refused' } satisfies Partial<CuelineError>),
    );
  });
});

describe('provider options', () => {
  const reasoning = { type: 'reasoning', text: 'Hm.', providerOptions: { openai: { itemId: 'rs_1' } } };

  test('are left out wherever a script puts them, and reported by name', () => {
    const options = { openai: { previousResponseId: 'resp_of_somebody' } };
    const { options: checked, dropped } = checkCall(
      {
        prompt: [
          { role: 'system', content: 'x', providerOptions: options },
          { role: 'user', content: [{ type: 'text', text: 'Hi', providerOptions: options }] },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'a',
                toolName: 'look',
                output: { type: 'text', value: 'x', providerOptions: options },
              },
            ],
          },
        ],
        tools: [{ type: 'function', name: 'a', inputSchema: {}, providerOptions: options }],
        providerOptions: { ...options, anthropic: { container: {} } },
      },
      never,
    );
    expect(JSON.stringify(checked)).not.toContain('providerOptions');
    expect(dropped.toSorted()).toEqual(['anthropic', 'openai']);
  });

  test('on a part are passed on if the provider itself sent them in an answer', () => {
    const issued = createIssuedMetadata();
    issued.add({ type: 'reasoning-end', id: '1', providerMetadata: { openai: { itemId: 'rs_1' } } });
    const call = (part: object): unknown => ({ prompt: [{ role: 'assistant', content: [part] }] });
    expect(checkCall(call(reasoning), issued.has)).toEqual({ options: call(reasoning), dropped: [] });

    const other = { ...reasoning, providerOptions: { openai: { itemId: 'rs_2' } } };
    expect(checkCall(call(other), issued.has).dropped).toEqual(['openai']);
    const moved = { prompt, providerOptions: reasoning.providerOptions };
    expect(checkCall(moved, issued.has).dropped, 'not as options of the call').toEqual(['openai']);
  });

  test('the request for token probabilities is passed on', () => {
    const asking = (openai: unknown) => ({ prompt, providerOptions: { openai } });
    expect(checkCall(asking({ logprobs: 9 }), never)).toEqual({
      options: asking({ logprobs: 9 }),
      dropped: [],
    });
    for (const more of [{ logprobs: 21 }, { logprobs: true }, { logprobs: 9, store: true }]) {
      expect(checkCall(asking(more), never)).toEqual({ options: { prompt }, dropped: ['openai'] });
    }
  });
});

test('a model call of any size is measured before it is checked', () => {
  const parts = Array.from({ length: 300_000 }, () => ({}));
  expect(() => checkCall({ prompt: [{ role: 'user', content: parts }] }, never)).toThrow(
    'The model call was refused: it has options of more than 300,000 values.',
  );
});
