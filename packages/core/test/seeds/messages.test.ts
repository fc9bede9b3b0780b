// Messages and their parts, section by section: what a prompt says, and what the model is sent for it.
import { imagePart, type MessageContent, type Prompt } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, play } from '../support.ts';

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

async function userParts(parts: Exclude<MessageContent['user'], string>): Promise<unknown> {
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

const textPart = (text: string) => ({ type: 'text', text }) as const;
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
/** The message of the tool that the model is sent for a result, an error, or content. */
const answer = (output: object, rest: object = {}) => ({
  role: 'tool',
  content: [{ ...weatherResult, output, ...rest }],
});
const asJson = answer({ type: 'json', value: weatherResult.output });
const question = user(textPart('How is the weather in Tokyo?'));

/** What the model is sent after a question and a call: the message of the tool. */
async function toolMessage(...parts: Exclude<MessageContent['tool'], string>): Promise<unknown> {
  const [prompt] = (await sent((p) => {
    p.$`How is the weather in Tokyo?`;
    p.defMessage('assistant', [weatherCall]);
    p.defMessage('tool', parts);
  })) as unknown[][];
  expect(prompt).toHaveLength(3);
  expect(prompt![0]).toEqual(question);
  expect(prompt![1]).toEqual(assistant(weatherCall));
  return prompt![2];
}

describe('prompt structure', () => {
  test('a system prompt, and the conversation', async () => {
    const prompts = await sent(
      (prompt) => {
        prompt.defMessage('user', [textPart('How is the weather in Tokyo?')]);
        prompt.defMessage('assistant', [weatherCall]);
        prompt.defMessage('tool', [weatherResult]);
      },
      ['Sunny.'],
      { system: 'You are a helpful assistant.' },
    );
    const system = { role: 'system', content: 'You are a helpful assistant.' };
    expect(prompts).toEqual([[system, question, assistant(weatherCall), asJson]]);
  });
});

describe('message structure with content parts', () => {
  test('a template has parts where they are interpolated, files read', async () => {
    const report = new File(['%PDF-1.7'], 'report.pdf', { type: 'application/pdf' });
    const prompts = await sent(
      (prompt) => prompt.$`
      Compare ${report}
      with ${imagePart(imageBytes)}
      and ${new URL('https://example.com/image.png')}.
    `,
    );
    const reportSent = {
      type: 'file',
      data: { type: 'data', data: 'JVBERi0xLjc=' },
      mediaType: 'application/pdf',
      filename: 'report.pdf',
    };
    const data = { type: 'url', url: new URL('https://example.com/image.png') };
    const urlSent = { type: 'file', data, mediaType: 'image/png' };
    const texts = ['Compare', 'with', 'and', '.'].map(textPart);
    expect(prompts).toEqual([[user(texts[0], reportSent, texts[1], imageSent, texts[2], urlSent, texts[3])]]);
  });
});

describe('content part types', () => {
  test.each([
    ['PDF and other files', 'file', '%PDF-1.7', 'application/pdf', 'JVBERi0xLjc='],
    ['audio', 'audio', 'ID3', 'audio/mpeg', 'SUQz'],
  ] as const)('%s', async (_name, type, content, mediaType, data) => {
    expect(await userPart({ type, data: Buffer.from(content), mediaType })).toEqual({
      type: 'file',
      data: { type: 'data', data },
      mediaType,
    });
  });

  test('tool call, from the assistant', async () => {
    const [prompt] = await sent((p) => {
      p.$`How is the weather in Tokyo?`;
      p.defMessage('assistant', [textPart('I will look.'), weatherCall]);
      p.defMessage('tool', [weatherResult]);
    });
    expect((prompt as unknown[])[1]).toEqual(assistant(textPart('I will look.'), weatherCall));
  });

  test('multi-modal tool results', async () => {
    const output = [
      { type: 'text', data: Buffer.from('The map:'), mediaType: 'text/plain' },
      { type: 'image', data: Buffer.from(imageBytes), mediaType: 'image/png' },
    ];
    expect(await toolMessage({ ...weatherResult, output })).toEqual(
      answer({ type: 'content', value: [textPart('The map:'), imageSent] }),
    );
  });
});

test('complete message flow example', async () => {
  const prompts = await sent((prompt) => {
    prompt.defMessage('user', [
      { type: 'text', text: 'Please describe the image.' },
      { type: 'image', image: imageBytes },
    ]);
    prompt.defMessage('assistant', [weatherCall]);
    prompt.defMessage('tool', [weatherResult]);
  });
  expect(prompts).toEqual([
    [user(textPart('Please describe the image.'), imageSent), assistant(weatherCall), asJson],
  ]);
});

describe('system messages with cache control', () => {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const userSent = user(textPart('User prompt'));

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
    const long = { ...textPart('Long.'), providerOptions };
    expect(await userPart(long)).toEqual(long);
    const image = { type: 'image', image: imageBytes, providerOptions } as const;
    expect(await userPart(image)).toEqual({ ...imageSent, providerOptions });
    expect(await toolMessage({ ...weatherResult, output: 'sunny', providerOptions })).toEqual(
      answer({ type: 'text', value: 'sunny' }, { providerOptions }),
    );
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
        const place = z.object({ location: z.string() });
        prompt.defTool('get_weather', 'Weather of a place', place, ({ location }) =>
          location === 'Tokyo' ? weatherResult.output : null,
        );
        prompt.defTool('get_map', 'Map of a place', place, ({ location }) => [
          { type: 'text', text: `Map of ${location}` },
          { type: 'image', data: Buffer.from(imageBytes), mediaType: 'image/png' },
        ]);
        prompt.$`How is the weather in Tokyo?`;
      },
      [
        [call('get_weather', { location: 'Tokyo' }, 'call_1')],
        [
          call('get_map', { location: 'Tokyo' }, 'call_2'),
          call('get_weather', { location: 'Atlantis' }, 'call_3'),
        ],
        'It is sunny.',
      ],
    );
    const called = (toolCallId: string, toolName: string, location: string): object => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: { location },
    });
    const result = (toolCallId: string, toolName: string, type: string, value: unknown): object => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type, value },
    });
    const first = [question];
    const second = [
      ...first,
      assistant(called('call_1', 'get_weather', 'Tokyo')),
      { role: 'tool', content: [result('call_1', 'get_weather', 'json', weatherResult.output)] },
    ];
    const map = [textPart('Map of Tokyo'), imageSent];
    const third = [
      ...second,
      assistant(called('call_2', 'get_map', 'Tokyo'), called('call_3', 'get_weather', 'Atlantis')),
      {
        role: 'tool',
        content: [result('call_2', 'get_map', 'content', map), result('call_3', 'get_weather', 'json', null)],
      },
    ];
    expect(prompts).toEqual([first, second, third]);
  });
});
