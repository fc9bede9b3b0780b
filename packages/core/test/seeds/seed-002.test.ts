// Messages and their parts, section by section: what a prompt says, and what the model is sent for it.
import { imagePart, type Prompt } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { play } from '../support.ts';

const imageBytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const imageSent = {
  type: 'file',
  data: { type: 'data', data: 'iVBORw0KGgo=' },
  mediaType: 'image/png',
};

/** What the model is sent at each step. A URL is left to the model, as those that read images do. */
async function sent(
  source: (prompt: Prompt) => void,
  turns: Parameters<typeof play>[1] = ['Fine.'],
  options: NonNullable<Parameters<typeof play>[2]>['options'] = {},
): Promise<unknown[]> {
  const { model, run } = await play(source, turns, {
    options: { experimental_download: async (files) => files.map(() => null), ...options },
  });
  expect(run.getState().status).toBe('done');
  return model.calls.map(({ prompt }) => prompt);
}

/** What the model is sent for a message of the user that has one part. */
async function userPart(part: Parameters<typeof userParts>[0][number]): Promise<unknown> {
  return userParts([part]);
}

async function userParts(
  parts: Exclude<Parameters<typeof Prompt.prototype.defMessage<'user'>>[1], string>,
): Promise<unknown> {
  const [prompt] = (await sent((p) => p.defMessage('user', parts))) as {
    role: string;
    content: unknown[];
  }[][];
  expect(prompt).toHaveLength(1);
  expect(prompt![0]!.role).toBe('user');
  return prompt![0]!.content[0];
}

const weatherCall = {
  type: 'tool-call',
  toolCallId: 'call_123',
  toolName: 'get_weather',
  input: { location: 'Tokyo' },
} as const;
const weatherResult = {
  type: 'tool-result',
  toolCallId: 'call_123',
  toolName: 'get_weather',
  output: { temperature: 22, conditions: 'sunny' },
} as const;
const question = { role: 'user', content: [{ type: 'text', text: 'How is the weather in Tokyo?' }] };

/** What the model is sent after a question and a call: the message of the tool. */
async function toolMessage(
  ...parts: Exclude<Parameters<typeof Prompt.prototype.defMessage<'tool'>>[1], string>
): Promise<unknown> {
  const [prompt] = (await sent((p) => {
    p.$`How is the weather in Tokyo?`;
    p.defMessage('assistant', [weatherCall]);
    p.defMessage('tool', parts);
  })) as unknown[][];
  expect(prompt).toHaveLength(3);
  expect(prompt![0]).toEqual(question);
  expect(prompt![1]).toEqual({ role: 'assistant', content: [weatherCall] });
  return prompt![2];
}

describe('prompt structure', () => {
  test('a system prompt, and the conversation', async () => {
    const prompts = await sent(
      (prompt) => {
        prompt.defMessage('user', [{ type: 'text', text: 'How is the weather in Tokyo?' }]);
        prompt.defMessage('assistant', [weatherCall]);
        prompt.defMessage('tool', [weatherResult]);
      },
      ['Sunny.'],
      { system: 'You are a helpful assistant.' },
    );
    expect(prompts).toEqual([
      [
        { role: 'system', content: 'You are a helpful assistant.' },
        question,
        { role: 'assistant', content: [weatherCall] },
        {
          role: 'tool',
          content: [{ ...weatherResult, output: { type: 'json', value: weatherResult.output } }],
        },
      ],
    ]);
  });
});

describe('message types and roles', () => {
  test('user, assistant and tool in defMessage, system in defSystem', async () => {
    const prompts = await sent((prompt) => {
      prompt.defSystem('role', 'You are a helpful assistant.');
      prompt.defMessage('user', 'Hello.');
      prompt.defMessage('assistant', 'Hello, how can I help?');
      prompt.defMessage('user', 'How is the weather in Tokyo?');
      prompt.defMessage('assistant', [weatherCall]);
      prompt.defMessage('tool', [{ ...weatherResult, output: 'sunny' }]);
    });
    expect(prompts).toEqual([
      [
        { role: 'system', content: 'role:\nYou are a helpful assistant.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello, how can I help?' }] },
        question,
        { role: 'assistant', content: [weatherCall] },
        { role: 'tool', content: [{ ...weatherResult, output: { type: 'text', value: 'sunny' } }] },
      ],
    ]);
  });
});

describe('message structure with content parts', () => {
  test('a message has several parts, in their order', async () => {
    const prompts = await sent((prompt) =>
      prompt.defMessage('user', [
        { type: 'text', text: 'First:' },
        { type: 'image', image: imageBytes },
        { type: 'text', text: 'Second.' },
      ]),
    );
    expect(prompts).toEqual([
      [
        {
          role: 'user',
          content: [{ type: 'text', text: 'First:' }, imageSent, { type: 'text', text: 'Second.' }],
        },
      ],
    ]);
  });

  test('a template has parts where they are interpolated, files read', async () => {
    const report = new File(['%PDF-1.7'], 'report.pdf', { type: 'application/pdf' });
    const prompts = await sent(
      (prompt) => prompt.$`
      Compare ${report}
      with ${imagePart(imageBytes)}
      and ${new URL('https://example.com/image.png')}.
    `,
    );
    expect(prompts).toEqual([
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Compare' },
            {
              type: 'file',
              data: { type: 'data', data: 'JVBERi0xLjc=' },
              mediaType: 'application/pdf',
              filename: 'report.pdf',
            },
            { type: 'text', text: 'with' },
            imageSent,
            { type: 'text', text: 'and' },
            {
              type: 'file',
              data: { type: 'url', url: new URL('https://example.com/image.png') },
              mediaType: 'image/png',
            },
            { type: 'text', text: '.' },
          ],
        },
      ],
    ]);
  });
});

describe('content part types', () => {
  test('text', async () => {
    expect(await userPart({ type: 'text', text: 'Hello.' })).toEqual({ type: 'text', text: 'Hello.' });
  });

  test('image', async () => {
    expect(await userPart({ type: 'image', image: Buffer.from(imageBytes) })).toEqual(imageSent);
    expect(await userPart({ type: 'image', image: 'iVBORw0KGgo=' })).toEqual(imageSent);
    expect(await userPart({ type: 'image', image: 'file-8EFBcWHsQxZV7YGezBC1fq' })).toEqual({
      type: 'file',
      data: { type: 'reference', reference: { openai: 'file-8EFBcWHsQxZV7YGezBC1fq' } },
      mediaType: 'image/*',
    });
  });

  test('PDF and other files', async () => {
    const data = Buffer.from('%PDF-1.7');
    expect(await userPart({ type: 'file', data, mediaType: 'application/pdf' })).toEqual({
      type: 'file',
      data: { type: 'data', data: 'JVBERi0xLjc=' },
      mediaType: 'application/pdf',
    });
  });

  test('audio', async () => {
    const data = Buffer.from('ID3');
    expect(await userPart({ type: 'audio', data, mediaType: 'audio/mpeg' })).toEqual({
      type: 'file',
      data: { type: 'data', data: 'SUQz' },
      mediaType: 'audio/mpeg',
    });
  });

  test('tool call, from the assistant', async () => {
    const [prompt] = await sent((p) => {
      p.$`How is the weather in Tokyo?`;
      p.defMessage('assistant', [{ type: 'text', text: 'I will look.' }, weatherCall]);
      p.defMessage('tool', [weatherResult]);
    });
    expect((prompt as unknown[])[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'I will look.' }, weatherCall],
    });
  });

  test('tool result, a text or an object', async () => {
    expect(await toolMessage({ ...weatherResult, output: 'sunny' })).toEqual({
      role: 'tool',
      content: [{ ...weatherResult, output: { type: 'text', value: 'sunny' } }],
    });
    expect(await toolMessage(weatherResult)).toEqual({
      role: 'tool',
      content: [
        { ...weatherResult, output: { type: 'json', value: { temperature: 22, conditions: 'sunny' } } },
      ],
    });
  });

  test('tool error', async () => {
    const { toolCallId, toolName } = weatherCall;
    expect(
      await toolMessage({ type: 'tool-error', toolCallId, toolName, error: 'The service is down.' }),
    ).toEqual({
      role: 'tool',
      content: [{ ...weatherResult, output: { type: 'error-text', value: 'The service is down.' } }],
    });
  });

  test('multi-modal tool results', async () => {
    const content = [{ type: 'text', text: 'The map:' }, imageSent];
    expect(
      await toolMessage({
        ...weatherResult,
        output: [
          { type: 'text', data: Buffer.from('The map:'), mediaType: 'text/plain' },
          { type: 'image', data: Buffer.from(imageBytes), mediaType: 'image/png' },
        ],
      }),
    ).toEqual({
      role: 'tool',
      content: [{ ...weatherResult, output: { type: 'content', value: content } }],
    });
  });
});

test('complete message flow example', async () => {
  const prompts = await sent((prompt) => {
    prompt.defMessage('user', [
      { type: 'text', text: 'Please describe the image.' },
      { type: 'image', image: imageBytes },
    ]);
    prompt.defMessage('assistant', [
      {
        type: 'tool-call',
        toolCallId: 'call_123',
        toolName: 'get_weather',
        input: { location: 'Tokyo' },
      },
    ]);
    prompt.defMessage('tool', [
      {
        type: 'tool-result',
        toolCallId: 'call_123',
        toolName: 'get_weather',
        output: { temperature: 22, conditions: 'sunny' },
      },
    ]);
  });
  expect(prompts).toEqual([
    [
      { role: 'user', content: [{ type: 'text', text: 'Please describe the image.' }, imageSent] },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'call_123',
            toolName: 'get_weather',
            input: { location: 'Tokyo' },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_123',
            toolName: 'get_weather',
            output: { type: 'json', value: { temperature: 22, conditions: 'sunny' } },
          },
        ],
      },
    ],
  ]);
});

describe('system messages with cache control', () => {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const userSent = { role: 'user', content: [{ type: 'text', text: 'User prompt' }] };

  test('as options.system', async () => {
    const prompts = await sent((prompt) => prompt.defMessage('user', 'User prompt'), ['Fine.'], {
      system: [
        { role: 'system', content: 'Cached system message part', providerOptions },
        { role: 'system', content: 'Uncached system message part' },
      ],
    });
    expect(prompts).toEqual([
      [
        { role: 'system', content: 'Cached system message part', providerOptions },
        { role: 'system', content: 'Uncached system message part' },
        userSent,
      ],
    ]);
  });

  test('as parts that defSystem names', async () => {
    const prompts = await sent((prompt) => {
      prompt.defSystem('manual', 'Cached system message part', { providerOptions });
      prompt.defSystem('role', 'Uncached system message part');
      prompt.defMessage('user', 'User prompt');
    });
    expect(prompts).toEqual([
      [
        { role: 'system', content: 'manual:\nCached system message part', providerOptions },
        { role: 'system', content: 'role:\nUncached system message part' },
        userSent,
      ],
    ]);
  });

  test('and on any part of a message', async () => {
    expect(await userPart({ type: 'text', text: 'Long.', providerOptions })).toEqual({
      type: 'text',
      text: 'Long.',
      providerOptions,
    });
    expect(await userPart({ type: 'image', image: imageBytes, providerOptions })).toEqual({
      ...imageSent,
      providerOptions,
    });
    expect(await toolMessage({ ...weatherResult, output: 'sunny', providerOptions })).toEqual({
      role: 'tool',
      content: [{ ...weatherResult, output: { type: 'text', value: 'sunny' }, providerOptions }],
    });
  });
});

describe('image content variations', () => {
  const url = 'https://example.com/image.png';
  test.each([
    ['bytes', Buffer.from(imageBytes), imageSent.data, 'image/png'],
    ['base64', 'iVBORw0KGgo=', imageSent.data, 'image/png'],
    ['URL', url, { type: 'url', url: new URL(url) }, 'image/png'],
    [
      'OpenAI file id',
      'file-8EFBcWHsQxZV7YGezBC1fq',
      { type: 'reference', reference: { openai: 'file-8EFBcWHsQxZV7YGezBC1fq' } },
      'image/*',
    ],
  ])('%s', async (_name, image, data, mediaType) => {
    expect(await userPart({ type: 'image', image })).toEqual({ type: 'file', data, mediaType });
  });
});

describe('multi-turn tool calling flow', () => {
  test('an automatic loop: call, result, next call, answer', async () => {
    const prompts = await sent(
      (prompt) => {
        prompt.defTool(
          'get_weather',
          'Weather of a place',
          z.object({ location: z.string() }),
          ({ location }) => (location === 'Tokyo' ? { temperature: 22, conditions: 'sunny' } : null),
        );
        prompt.defTool('get_map', 'Map of a place', z.object({ location: z.string() }), ({ location }) => [
          { type: 'text', text: `Map of ${location}` },
          { type: 'image', data: Buffer.from(imageBytes), mediaType: 'image/png' },
        ]);
        prompt.$`How is the weather in Tokyo?`;
      },
      [
        [{ toolCall: { id: 'call_1', name: 'get_weather', input: { location: 'Tokyo' } } }],
        [
          { toolCall: { id: 'call_2', name: 'get_map', input: { location: 'Tokyo' } } },
          { toolCall: { id: 'call_3', name: 'get_weather', input: { location: 'Atlantis' } } },
        ],
        'It is sunny.',
      ],
    );
    const call = (toolCallId: string, toolName: string, location: string): object => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: { location },
    });
    const result = (toolCallId: string, toolName: string, output: object): object => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output,
    });
    const first = [question];
    const second = [
      ...first,
      { role: 'assistant', content: [call('call_1', 'get_weather', 'Tokyo')] },
      {
        role: 'tool',
        content: [
          result('call_1', 'get_weather', {
            type: 'json',
            value: { temperature: 22, conditions: 'sunny' },
          }),
        ],
      },
    ];
    const third = [
      ...second,
      {
        role: 'assistant',
        content: [call('call_2', 'get_map', 'Tokyo'), call('call_3', 'get_weather', 'Atlantis')],
      },
      {
        role: 'tool',
        content: [
          result('call_2', 'get_map', {
            type: 'content',
            value: [{ type: 'text', text: 'Map of Tokyo' }, imageSent],
          }),
          result('call_3', 'get_weather', { type: 'json', value: null }),
        ],
      },
    ];
    expect(prompts).toEqual([first, second, third]);
  });
});
