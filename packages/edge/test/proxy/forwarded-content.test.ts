import { describe, expect, test } from 'vitest';
import { ask, fixture, key, refused } from './support.ts';

type Message = { content?: unknown[]; parts?: unknown[] };
type Content = { path: string; body: Record<string, unknown> };

const chat = (more: object): Content => ({
  path: '/openai/chat/completions',
  body: { model: 'gpt-x', messages: [{ role: 'user', content: 'Hi' }], ...more },
});
const responses = (more: object): Content => ({
  path: '/openai/responses',
  body: { model: 'gpt-x', input: 'Hi', ...more },
});
const anthropic = (more: object): Content => ({
  path: '/anthropic/messages',
  body: { model: 'claude-x', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9, ...more },
});
const google = (more: object): Content => ({
  path: '/google/models/gemini-x:generateContent',
  body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...more },
});

const formats = {
  chat: (part: unknown) => chat({ messages: [{ role: 'user', content: [part] }] }),
  responses: (part: unknown) => responses({ input: [{ role: 'user', content: [part] }] }),
  messages: (part: unknown) => anthropic({ messages: [{ role: 'user', content: [part] }] }),
  google: (part: unknown) => google({ contents: [{ role: 'user', parts: [part] }] }),
};

/** Returns the part that the provider gets. */
async function forwarded(format: keyof typeof formats, part: object): Promise<unknown> {
  const { proxy, sent } = fixture(() => Response.json({}), {
    providers: {
      openai: { apiKey: key, models: ['gpt-x'], contextTokens: 128_000 },
      anthropic: { apiKey: key, models: ['claude-x'] },
      google: { apiKey: key, models: ['gemini-x'] },
    },
  });
  expect((await proxy(ask(formats[format](part)))).status).toBe(200);
  const { messages, input, contents } = sent[0]!.body as Record<string, Message[] | undefined>;
  const [message] = messages ?? input ?? contents ?? [];
  return (message?.content ?? message?.parts)?.[0];
}

const png = 'iVBORw0KGgo=';
const note = btoa('A note.');
const picture = `data:image/png;base64,${png}`;
const text = `data:text/plain;base64,${note}`;
const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const briefly = { cache_control: { type: 'ephemeral' } };

/** What the provider gets. `unknown: 1` in what a client sends stands for a field that is not forwarded. */
const content: [string, keyof typeof formats, given: object, expected: object][] = [
  [
    'a text, cached for the default time',
    'chat',
    { type: 'text', text: 'Hi', ...cached },
    { type: 'text', text: 'Hi', ...briefly },
  ],
  ['a refusal', 'chat', { type: 'refusal', refusal: 'No.', unknown: 1 }, { type: 'refusal', refusal: 'No.' }],
  [
    'reasoning as one text',
    'chat',
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'thinking', thinking: 'Hm.' },
  ],
  [
    'an image as one text',
    'chat',
    { type: 'image_url', image_url: picture },
    { type: 'image_url', image_url: picture },
  ],
  [
    'an image with its detail',
    'chat',
    { type: 'image_url', image_url: { url: picture, detail: 'low', unknown: 1 } },
    { type: 'image_url', image_url: { url: picture, detail: 'low' } },
  ],
  [
    'a document',
    'chat',
    { type: 'document_url', document_url: text, document_name: 'note.txt', unknown: 1 },
    { type: 'document_url', document_url: text, document_name: 'note.txt' },
  ],
  [
    'sound',
    'chat',
    { type: 'input_audio', input_audio: { data: btoa('ID3'), format: 'mp3', unknown: 1 } },
    { type: 'input_audio', input_audio: { data: btoa('ID3'), format: 'mp3' } },
  ],
  [
    'a file',
    'chat',
    { type: 'file', file: { file_data: text, filename: 'note.txt', unknown: 1 } },
    { type: 'file', file: { file_data: text, filename: 'note.txt' } },
  ],
  ['a text', 'responses', { type: 'input_text', text: 'Hi', unknown: 1 }, { type: 'input_text', text: 'Hi' }],
  ['a refusal', 'responses', { type: 'refusal', refusal: 'No.' }, { type: 'refusal', refusal: 'No.' }],
  [
    'a file',
    'responses',
    { type: 'input_file', file_data: text, filename: 'note.txt', file_url: 'x' },
    { type: 'input_file', file_data: text, filename: 'note.txt' },
  ],
  [
    'a text, cached for the default time',
    'messages',
    { type: 'text', text: 'Hi', ...cached },
    { type: 'text', text: 'Hi', ...briefly },
  ],
  [
    'signed reasoning',
    'messages',
    { type: 'thinking', thinking: 'Hm.', signature: 's', unknown: 1 },
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
  ],
  [
    'encrypted reasoning',
    'messages',
    { type: 'redacted_thinking', data: 'd', unknown: 1 },
    { type: 'redacted_thinking', data: 'd' },
  ],
  [
    'a result without content',
    'messages',
    { type: 'tool_result', tool_use_id: 't', is_error: true, unknown: 1 },
    { type: 'tool_result', tool_use_id: 't', is_error: true },
  ],
  [
    'a document of text',
    'messages',
    {
      type: 'document',
      title: 'Note',
      source: { type: 'text', media_type: 'text/plain', data: 'A note.', unknown: 1 },
    },
    { type: 'document', title: 'Note', source: { type: 'text', media_type: 'text/plain', data: 'A note.' } },
  ],
  [
    'a document of blocks',
    'messages',
    {
      type: 'document',
      source: { type: 'content', content: [{ type: 'text', text: 'A note.', unknown: 1 }] },
    },
    { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'A note.' }] } },
  ],
  [
    'a signed thought',
    'google',
    { text: 'Hm.', thought: true, thoughtSignature: 's' },
    { text: 'Hm.', thought: true, thoughtSignature: 's' },
  ],
  [
    'a result',
    'google',
    { functionResponse: { name: 'f', response: { ok: true }, unknown: 1 } },
    { functionResponse: { name: 'f', response: { ok: true } } },
  ],
  [
    'a result with a picture',
    'google',
    {
      functionResponse: {
        name: 'f',
        response: {},
        parts: [{ inlineData: { mimeType: 'image/png', data: png, unknown: 1 } }],
      },
    },
    {
      functionResponse: {
        name: 'f',
        response: {},
        parts: [{ inlineData: { mimeType: 'image/png', data: png } }],
      },
    },
  ],
];

describe('content in a request', () => {
  test.each(content)(
    '%s is forwarded in the format %s, without other fields',
    async (_, format, given, expected) => {
      expect(await forwarded(format, given)).toEqual(expected);
    },
  );
});

const turn = (message: object): Content => chat({ messages: [message] });
const parts = (...list: unknown[]): Content => google({ contents: [{ parts: list }] });

const misshapen: [string, Content][] = [
  ['a message without a role', turn({ content: 'Hi' })],
  ['a call of a tool that is not a function', turn({ role: 'assistant', tool_calls: [{ type: 'custom' }] })],
  ['reasoning that is not text', turn({ role: 'assistant', content: [{ type: 'thinking', thinking: 7 }] })],
  ['sound that is not an object', formats.chat({ type: 'input_audio', input_audio: 'x' })],
  ['the old form of tools', chat({ functions: [] })],
  ['responses: a message without a role', responses({ input: [{ content: 'Hi' }] })],
  ['responses: content of an unknown type', formats.responses({ type: 'input_video' })],
  ['responses: an item of an unknown type', responses({ input: [{ type: 'web_search_call' }] })],
  ['responses: a list of additions that is none', responses({ include: 'reasoning.encrypted_content' })],
  ['responses: settings of the reasoning that are none', responses({ reasoning: 'high' })],
  ['anthropic: a message without a role', anthropic({ messages: [{ content: 'Hi' }] })],
  ['anthropic: settings of the reasoning that are none', anthropic({ thinking: 'enabled' })],
  ['anthropic: a budget of the reasoning that is no number', anthropic({ thinking: { budget_tokens: '9' } })],
  ['anthropic: a file without a source', formats.messages({ type: 'image' })],
  ['google: a system text that is no content', google({ systemInstruction: 'Be brief.' })],
  ['google: settings of tools that are none', google({ toolConfig: 'ANY' })],
  ['google: settings that are none', google({ generationConfig: 'short' })],
  ['google: settings of the reasoning that are none', google({ generationConfig: { thinkingConfig: 1 } })],
  ['google: a result that is none', parts({ functionResponse: 'done' })],
  ['google: a file that is none', parts({ inlineData: png })],
];

test.each(misshapen)('%s is refused before anything is reserved', async (_, request) => {
  const { proxy, sent, store } = fixture();
  const { status, code } = await refused(proxy(ask(request)));
  expect([status, sent, store]).toEqual([code === 'tool_denied' ? 403 : 400, [], []]);
});
