import { describe, expect, test } from 'vitest';
import { ask, chatBody, fixture, key, type ModelProxyOptions, type Sent } from './support.ts';

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
const picture = 'data:image/png;base64,iVBORw0KGgo=';

describe('what is sent', () => {
  test('chat of OpenAI: headers from nothing, usage asked for, the length set', async () => {
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

  test('chat of a compatible server and of Mistral, which takes no fields that it does not know', async () => {
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
        max_completion_tokens: 9,
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

  test('responses: nothing is kept there', async () => {
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

  test('messages of Anthropic: its own headers, and betas that change neither price nor place', async () => {
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
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
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

  test('generateContent of Google: model in the path, events asked for, nothing in snake_case', async () => {
    const sent = await sentFor({
      path: '/google/models/gemini-x:streamGenerateContent?alt=sse',
      body: {
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
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
          { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        ],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [{ functionDeclarations: [{ name: 'f' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY' } },
        generationConfig: { temperature: 1, maxOutputTokens: 4_096 },
      },
    });
  });

  test('no message and no tool has more than what is known', async () => {
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

describe('what is reserved', () => {
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

  test('a token for each byte of text, and the longest answer', async () => {
    const { reserved, bytes } = await reserve({ body: { ...chatBody, max_tokens: 100 } });
    expect(reserved).toBe(bytes + 100);
    const wide = await reserve({
      body: { ...chatBody, messages: [{ role: 'user', content: '日本' }], max_tokens: 100 },
    });
    expect(wide.reserved).toBe(wide.bytes + 4 + 100);
  });

  test.each([
    ['text/plain', 30_000],
    ['image/png', 30_000],
    ['application/pdf', 10_000],
  ])('a file that says it is %s, by its length', async (type, tokens) => {
    const file = { file_data: `data:${type};base64,${'A'.repeat(40_000)}` };
    const messages = [{ role: 'user', content: [{ type: 'file', file }] }];
    const { reserved, bytes } = await reserve({ body: { ...chatBody, messages } });
    expect(reserved).toBe(bytes - 40_000 + tokens + 4_096);
  });

  test('a picture counts as a picture, however many bytes it has', async () => {
    const url = `data:image/png;base64,${'A'.repeat(400_000)}`;
    const body = {
      ...chatBody,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    };
    const { reserved, bytes } = await reserve({ body });
    expect(reserved).toBe(bytes - 400_000 + 6_000 + 4_096);
  });
});
