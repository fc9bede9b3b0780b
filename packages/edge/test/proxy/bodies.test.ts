import { describe, expect, test } from 'vitest';
import { ask, chatBody, fixture, key, type ModelProxyOptions, refused, type Sent } from './support.ts';

async function sentFor(
  request: Parameters<typeof ask>[0],
  options: Partial<ModelProxyOptions> = {},
): Promise<Sent> {
  const { proxy, sent } = fixture(() => Response.json({}), options);
  const response = await proxy(ask(request));
  expect([response.status, sent.length]).toEqual([200, 1]);
  return sent[0]!;
}

const own = {
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'user-agent': 'cueline-edge',
};
const png = 'iVBORw0KGgo=';
const picture = `data:image/png;base64,${png}`;

describe('the request to the provider', () => {
  test('OpenAI chat has new headers, a request for usage and a length', async () => {
    const headers = {
      cookie: 'session=1',
      'x-api-key': 'mine',
      'openai-beta': 'x',
      'x-forwarded-for': '1.1.1.1',
    };
    expect(await sentFor({ headers, body: { ...chatBody, stream: true } })).toEqual({
      url: 'https://api.openai.com/v1/chat/completions',
      method: 'POST',
      headers: { ...own, accept: 'text/event-stream', authorization: `Bearer ${key}` },
      body: {
        ...chatBody,
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 4_096,
      },
    });
  });

  test('chat of a compatible server and of Mistral has known fields only', async () => {
    const body = { ...chatBody, stream: true, seed: 1, random_seed: 2, max_completion_tokens: 9 };
    const local = await sentFor({ path: '/local/chat/completions', body: { ...body, model: 'llama-x' } });
    expect([local.url, local.body]).toEqual([
      'https://llm.example/v1/chat/completions',
      {
        model: 'llama-x',
        messages: chatBody.messages,
        stream: true,
        stream_options: { include_usage: true },
        seed: 1,
        // the one name that every such server knows
        max_tokens: 9,
      },
    ]);
    const mistral = await sentFor({
      path: '/mistral/chat/completions',
      body: { ...body, model: 'mistral-x' },
    });
    expect(mistral.body).toEqual({
      model: 'mistral-x',
      messages: chatBody.messages,
      stream: true,
      random_seed: 2,
      max_tokens: 4_096,
    });
  });

  test('OpenAI responses are not stored by the provider', async () => {
    const body = {
      model: 'gpt-x',
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url: picture, detail: 'low', file_id: null }],
        },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
      ],
      include: ['reasoning.encrypted_content', 'file_search_call.results'],
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: true, server_url: 'https://x.example' }],
      tool_choice: { type: 'function', name: 'f' },
      store: true,
      metadata: { a: 'b' },
      user: 'somebody',
      service_tier: 'priority',
      reasoning: { effort: 'low', mode: 'pro' },
      max_output_tokens: 1e308,
    };
    expect((await sentFor({ path: '/openai/responses', body })).body).toEqual({
      model: 'gpt-x',
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: picture, detail: 'low' }] },
        ...body.input.slice(1),
      ],
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: true }],
      tool_choice: { type: 'function', name: 'f' },
      reasoning: { effort: 'low' },
      max_output_tokens: 4_096,
      stream: false,
      store: false,
    });
  });

  test('Anthropic messages have its own headers, and only betas that change neither price nor destination', async () => {
    const sent = await sentFor({
      path: '/anthropic/messages',
      headers: {
        'anthropic-version': '1999-01-01',
        'anthropic-beta': 'mcp-client-2025-04-04, structured-outputs-2025-11-13,context-1m-2025-08-07',
      },
      body: {
        model: 'claude-x',
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
          },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] }],
          },
        ],
        tools: [
          { name: 'f', input_schema: { type: 'object' }, allowed_callers: ['code_execution_20250825'] },
        ],
        metadata: { user_id: 'somebody' },
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        output_config: { effort: 'low', task_budget: { tokens: 1e9 } },
        max_tokens: 64_000,
      },
    });
    expect(sent.url).toBe('https://api.anthropic.com/v1/messages');
    expect(sent.headers).toEqual({
      ...own,
      accept: 'application/json',
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'structured-outputs-2025-11-13',
    });
    expect(sent.body).toMatchObject({
      max_tokens: 4_096,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      output_config: { effort: 'low' },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      messages: [{}, {}, { content: [{ content: [{ type: 'text', text: 'x' }] }] }],
    });
    expect(JSON.stringify(sent.body)).not.toMatch(/somebody|allowed_callers|task_budget/);
  });

  test('Google generateContent has the model in the path, requests events and has no snake_case fields', async () => {
    const sent = await sentFor({
      path: '/google/models/gemini-x:streamGenerateContent?alt=sse',
      body: {
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: png } }] },
        ],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [{ functionDeclarations: [{ name: 'f' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY' }, retrievalConfig: {} },
        generationConfig: { temperature: 1, max_output_tokens: 99_999, responseModalities: ['IMAGE'] },
        generation_config: { maxOutputTokens: 99_999 },
        safetySettings: [{ category: 'x', threshold: 'BLOCK_NONE' }],
        model: 'models/gemini-ultra',
      },
    });
    expect(sent).toEqual({
      url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
      method: 'POST',
      headers: { ...own, accept: 'text/event-stream', 'x-goog-api-key': key },
      body: {
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: png } }] },
        ],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [{ functionDeclarations: [{ name: 'f' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY' } },
        generationConfig: { temperature: 1, maxOutputTokens: 4_096 },
      },
    });
  });

  test('messages and tools have known fields only', async () => {
    const { body } = await sentFor({
      body: {
        model: 'gpt-x',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hi', url: 'x' },
              { type: 'image_url', image_url: { url: picture } },
            ],
            x: 1,
          },
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
          { role: 'tool', tool_call_id: 'c', content: 'done' },
        ],
        tools: [{ type: 'function', function: { name: 'f' }, server_url: 'x' }],
        n: 1,
        max_tokens: 5,
        max_completion_tokens: 50_000,
      },
    });
    expect(body).toEqual({
      model: 'gpt-x',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: picture } },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
      max_tokens: 5,
      max_completion_tokens: 4_096,
      stream: false,
    });
  });

  test('a provider may have its own list of fields, its own address, and a key from the environment', async () => {
    const { proxy, sent } = fixture(() => Response.json({}), {
      providers: {
        openai: {
          baseURL: 'https://gateway.example/v1/',
          models: ['gpt-x'],
          fields: ['messages', 'service_tier'],
        },
      },
    });
    const body = { ...chatBody, service_tier: 'flex', temperature: 1 };
    const response = await (proxy as (request: Request, env: object) => Promise<Response>)(ask({ body }), {
      OPENAI_API_KEY: ' sk-from-env ',
    });
    expect(response.status).toBe(200);
    expect(sent[0]).toMatchObject({
      url: 'https://gateway.example/v1/chat/completions',
      headers: { authorization: 'Bearer sk-from-env' },
    });
    expect(sent[0]!.body).toEqual({
      ...chatBody,
      service_tier: 'flex',
      max_completion_tokens: 4_096,
      stream: false,
    });
  });
});

/** For what a provider puts before the messages. */
const unseen = 1_000;

describe('the reservation', () => {
  const reserve = async (
    request: Parameters<typeof ask>[0],
  ): Promise<{ reserved: number; bytes: number }> => {
    const { proxy, sent, store } = fixture(() => Response.json({}));
    await proxy(ask(request));
    return {
      reserved: Number(store[0]!.slice('reserve '.length)),
      bytes: JSON.stringify(sent[0]!.body).length,
    };
  };

  test('counts one token for each byte of text, plus the longest answer', async () => {
    const { reserved, bytes } = await reserve({ body: { ...chatBody, max_tokens: 100 } });
    expect(reserved).toBe(unseen + bytes + 100);
    const wide = await reserve({
      body: { ...chatBody, messages: [{ role: 'user', content: '日本' }], max_tokens: 100 },
    });
    expect(wide.reserved).toBe(unseen + wide.bytes + 4 + 100);
  });

  const fileOf = (type: string, data: string): Parameters<typeof ask>[0] => ({
    body: {
      ...chatBody,
      messages: [
        { role: 'user', content: [{ type: 'file', file: { file_data: `data:${type};base64,${data}` } }] },
      ],
    },
  });

  test.each(['text/plain', 'text/csv', 'application/json', 'application/atom+xml'])(
    'counts one token for each byte of a file of type %s',
    async (type) => {
      const data = btoa('é;'.repeat(1_000).replaceAll('é', '\xc3\xa9'));
      const { reserved, bytes } = await reserve(fileOf(type, data));
      expect(reserved).toBe(unseen + bytes - data.length + 3_000 + 4_096);
    },
  );

  const pdf = '%PDF-1.7';
  const boundless: [string, string, string][] = [
    ['a PDF', 'application/pdf', pdf],
    ['a PDF that says it is text', 'text/plain', pdf],
    ['a PDF behind some text', 'text/plain', `${'x'.repeat(1_000)}${pdf}`],
    ['a PDF that says it is a picture', 'image/png', pdf],
    [
      'a packed document',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'PK\x03',
    ],
    ['a packed document that says it is text', 'text/plain', 'PK\x03\x04\x14\0\0\0'],
    ['bytes that say they are text', 'text/plain', '\xff\xfe'],
    ['sound', 'audio/mpeg', 'ID3'],
    ['video', 'video/mp4', '\0\0\0\x18ftypmp42'],
    ['video that says it is a picture', 'image/heic', '\0\0\0\x18ftypmp42'],
    ['sound that says it is a picture', 'image/webp', 'RIFF\0\0\0\0WAVE'],
    ['a file of no kind', 'application/octet-stream', 'x'],
  ];
  test.each(boundless)('refuses %s, whose cost is unknown', async (_, type, bytes) => {
    const { proxy, sent, store } = fixture(() => Response.json({}));
    const google = {
      path: '/google/models/gemini-x:generateContent',
      body: { contents: [{ parts: [{ inlineData: { mimeType: type, data: btoa(bytes) } }] }] },
    };
    const anthropic = {
      path: '/anthropic/messages',
      body: {
        model: 'claude-x',
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'base64', media_type: type, data: btoa(bytes) } }],
          },
        ],
      },
    };
    for (const request of [fileOf(type, btoa(bytes)), google, anthropic]) {
      expect(await refused(proxy(ask(request)))).toEqual({ status: 400, code: 'invalid_body' });
    }
    expect([sent, store]).toEqual([[], []]);
  });

  test.each(boundless)(
    'counts the whole context of the model for %s if that is known',
    async (_, type, bytes) => {
      const { proxy, store } = fixture(() => Response.json({}), {
        providers: { openai: { apiKey: key, models: ['gpt-x'], contextTokens: 128_000 } },
      });
      expect((await proxy(ask(fileOf(type, btoa(bytes))))).status).toBe(200);
      expect(store[0]).toBe(`reserve ${128_000 + 4_096}`);
    },
  );

  test.each([
    ['gpt-x', 12_000],
    ['gpt-4o-mini-2024-07-18', 50_000],
  ])('counts a picture of any size for %s as %i tokens', async (model, tokens) => {
    const data = `${btoa('\x89PNG\r\n\x1a\n\0')}${'A'.repeat(400_000)}`;
    const url = `data:image/png;base64,${data}`;
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const { proxy, sent, store } = fixture(() => Response.json({}), {
      providers: { openai: { apiKey: key, models: [model] } },
    });
    await proxy(ask({ body: { model, messages } }));
    const bytes = JSON.stringify(sent[0]!.body).length;
    expect(store[0]).toBe(`reserve ${unseen + bytes - data.length + tokens + 4_096}`);
  });

  test('contextTokens that are not a number are reported at the start', () => {
    const given = { apiKey: key, models: ['gpt-x'], contextTokens: Number.NaN };
    expect(() => fixture(undefined, { providers: { openai: given } })).toThrow(
      'createModelProxy: providers.openai.contextTokens is NaN. Give the most tokens that one of the models reads, such as 200_000.',
    );
  });
});
