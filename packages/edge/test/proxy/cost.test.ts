import { proxied, resolveModel } from '@cueline/core/models';
import { generateText } from 'ai';
import { expect, test } from 'vitest';
import { ask, base, chatBody, fixture, key, origin, refused } from './support.ts';

/** A request of each format, with more in its body. */
const formats: Record<string, (more: object) => Parameters<typeof ask>[0]> = {
  chat: (more) => ({ body: { ...chatBody, ...more } }),
  compatible: (more) => ({
    path: '/local/chat/completions',
    body: { ...chatBody, model: 'llama-x', ...more },
  }),
  mistral: (more) => ({
    path: '/mistral/chat/completions',
    body: { ...chatBody, model: 'mistral-x', ...more },
  }),
  responses: (more) => ({ path: '/openai/responses', body: { model: 'gpt-x', input: 'Hi', ...more } }),
  messages: (more) => ({
    path: '/anthropic/messages',
    body: { model: 'claude-x', messages: chatBody.messages, ...more },
  }),
  google: (more) => ({
    path: '/google/models/gemini-x:generateContent',
    body: { contents: [{ parts: [{ text: 'Hi' }] }], ...more },
  }),
};

// What costs more than was reserved, has another price, or reaches what is everybody's. It is left out or refused.
const dear: Record<string, unknown> = {
  n: 100,
  best_of: 100,
  candidateCount: 100,
  candidate_count: 100,
  prediction: { type: 'content', content: 'MARK' },
  service_tier: 'MARK',
  serviceTier: 'MARK',
  speed: 'MARK',
  inference_geo: 'MARK',
  modalities: ['MARK', 'audio'],
  responseModalities: ['MARK'],
  audio: { voice: 'MARK' },
  store: 'MARK',
  metadata: { MARK: 1 },
  user: 'MARK',
  safety_identifier: 'MARK',
  prompt_cache_key: 'MARK',
  prompt_cache_retention: 'MARK',
  background: 'MARK',
  previous_response_id: 'MARK',
  conversation: 'MARK',
  prompt: { id: 'MARK' },
  cachedContent: 'MARK',
  cached_content: 'MARK',
  labels: { MARK: 'x' },
  max_tool_calls: { MARK: 1 },
  context_management: { edits: 'MARK' },
  container: 'MARK',
  mcp_servers: ['MARK'],
  web_search_options: { MARK: 1 },
  search_parameters: { MARK: 1 },
  plugins: [{ id: 'MARK' }],
  models: ['MARK'],
  fallbacks: [{ model: 'MARK' }],
  route: 'MARK',
  stream_options: { MARK: true },
  extra_body: { MARK: true },
  min_tokens: 'MARK',
  prompt_logprobs: 'MARK',
  use_beam_search: 'MARK',
};

test.each(Object.keys(formats))(
  '%s: fields that could cost more than the reservation are not forwarded',
  async (name) => {
    for (const [field, value] of Object.entries(dear)) {
      for (const stream of [false, true]) {
        const { proxy, sent } = fixture(() => Response.json({}));
        const more = name === 'google' ? { [field]: value } : { [field]: value, stream };
        const { status } = await proxy(ask(formats[name]!(more)));
        expect([field, [200, 400, 403].includes(status)]).toEqual([field, true]);
        expect([field, sent.length]).toEqual([field, status === 200 ? 1 : 0]);
        if (status === 200) expect(JSON.stringify(sent[0]!.body)).not.toMatch(/MARK|100/);
      }
    }
  },
);

test("fields of Google's configuration that could cost more are not forwarded", async () => {
  for (const [field, value] of Object.entries(dear)) {
    const { proxy, sent } = fixture(() => Response.json({}));
    const { status } = await proxy(ask(formats['google']!({ generationConfig: { [field]: value } })));
    expect([field, [200, 400].includes(status)]).toEqual([field, true]);
    expect(JSON.stringify(sent)).not.toMatch(/MARK|100/);
  }
});

test('a duplicate or escaped field name counts once, with its last value', async () => {
  const { proxy, sent, store } = fixture(() => Response.json({}));
  const body =
    '{"model":"gpt-x","max_tokens":1,"max\\u005ftokens":999999,"messages":[{"role":"user","content":"Hi"}],"\\u006e":1}';
  expect((await proxy(ask({ body }))).status).toBe(200);
  expect(sent[0]!.body).toEqual({ ...chatBody, max_tokens: 4_096, stream: false });
  expect(store[0]).toBe(`reserve ${1_000 + JSON.stringify(sent[0]!.body).length + 4_096}`);
});

test.each([
  [{ max_completion_tokens: 7 }, { max_tokens: 7 }],
  [{ max_tokens: 5, max_completion_tokens: 7 }, { max_tokens: 5 }],
  [{}, { max_tokens: 4_096 }],
])('a compatible server gets only one field for the longest answer: %j', async (given, capped) => {
  const { proxy, sent } = fixture(() => Response.json({}));
  await proxy(ask(formats['compatible']!(given)));
  expect(sent[0]!.body).toEqual({ ...chatBody, model: 'llama-x', stream: false, ...capped });
});

test('the fields of the server decide which field that is', async () => {
  const { proxy, sent } = fixture(() => Response.json({}), {
    providers: {
      local: {
        apiKey: key,
        baseURL: 'https://llm.example/v1',
        models: ['llama-x'],
        fields: ['messages', 'max_completion_tokens'],
      },
    },
  });
  await proxy(ask(formats['compatible']!({ max_tokens: 5, max_completion_tokens: 7 })));
  expect(sent[0]!.body).toEqual({ ...chatBody, model: 'llama-x', stream: false, max_completion_tokens: 7 });
});

test.each([
  [999, 999],
  [1_000, 500],
  [1e9, 500],
])('thinking is part of the answer: a budget of %i for 1,000 tokens becomes %i', async (asked, left) => {
  const { proxy, sent } = fixture(() => Response.json({}), { limits: { maxOutputTokens: 1_000 } });
  await proxy(ask(formats['messages']!({ thinking: { type: 'enabled', budget_tokens: asked } })));
  await proxy(ask(formats['google']!({ generationConfig: { thinkingConfig: { thinkingBudget: asked } } })));
  expect(sent.map(({ body }) => body['thinking'] ?? body['generationConfig'])).toEqual([
    { type: 'enabled', budget_tokens: left },
    { maxOutputTokens: 1_000, thinkingConfig: { thinkingBudget: left } },
  ]);
});

test('unlimited or no thinking stays unchanged', async () => {
  const { proxy, sent } = fixture(() => Response.json({}));
  for (const thinkingConfig of [{ thinkingBudget: -1 }, { thinkingBudget: 0 }, { thinkingLevel: 'high' }]) {
    await proxy(ask(formats['google']!({ generationConfig: { thinkingConfig } })));
    expect(sent.at(-1)!.body['generationConfig']).toEqual({ maxOutputTokens: 4_096, thinkingConfig });
  }
  expect(
    await refused(proxy(ask(formats['messages']!({ thinking: { type: 'enabled', budget_tokens: '9' } })))),
  ).toEqual({ status: 400, code: 'invalid_body' });
});

test('a cache lifetime with a higher price is not forwarded', async () => {
  const { proxy, sent } = fixture(() => Response.json({}));
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const text = { type: 'text', text: 'Hi', ...hour };
  await proxy(
    ask(
      formats['messages']!({
        ...hour,
        system: [text],
        messages: [
          {
            role: 'user',
            content: [text, { type: 'tool_result', tool_use_id: 't', content: [text], ...hour }],
          },
        ],
        tools: [{ name: 'f', input_schema: {}, ...hour }],
      }),
    ),
  );
  await proxy(ask(formats['chat']!({ messages: [{ role: 'user', content: [text] }] })));
  const all = JSON.stringify(sent);
  expect(all.match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(6);
  expect(all).not.toContain('1h');
});

test.each(['../x', 'gemini-x/../../../openai', 'gemini-x?key=1', 'gemini-x#', '%2e%2e/gemini-x', 'other'])(
  'no model id makes the client bypass the proxy: %s',
  async (id) => {
    const { proxy, sent } = fixture(() => Response.json({}));
    const asked: string[] = [];
    const settings = proxied(base, {
      headers: { authorization: 'Bearer ada', origin },
      fetch: async (input, init) => {
        asked.push(input as string);
        return proxy(new Request(input, init));
      },
    });
    const model = await resolveModel(`google:${id}`, settings);
    const error = await generateText({ model, prompt: 'Hi', maxRetries: 0 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject(id === 'other' ? { statusCode: 403 } : { code: 'unknown_model' });
    expect([asked.length, sent]).toEqual([id === 'other' ? 1 : 0, []]);
  },
);

test.each([
  ['text/html; charset=utf-8', 'free'],
  ['text/plain', 'reserved'],
  ['application/x-ndjson', 'reserved'],
  [undefined, 'reserved'],
])('a successful answer of the type %s is refused and is %s', async (type, basis) => {
  const body = new TextEncoder().encode('Hello');
  const { proxy, events } = fixture(
    () => new Response(body, type === undefined ? {} : { headers: { 'content-type': type } }),
  );
  expect(await refused(proxy(ask()))).toEqual({ status: 502, code: 'upstream_content_type' });
  expect(events[1]).toMatchObject({ outcome: 'upstream_content_type', basis });
});

test('an error in a successful answer has no keys and no names of accounts', async () => {
  const message = `No credit for org-Abc123Def456 with ${key} or sk-proj-zzz***zzz`;
  const { proxy } = fixture(() => Response.json({ error: { message } }));
  expect(await (await proxy(ask())).json()).toEqual({
    error: { message: 'No credit for [redacted] with [redacted] or [redacted]' },
  });
});
