import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { streamText } from 'ai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { CuelineError, runPrompt } from '@cueline/core';
import { builtInProviders, withoutProviderStorage, resolveModel, secretsOf } from '@cueline/core/models';
import { type SeenRequest, startServer } from './chat-server.ts';

const key = 'key-0123456789abcdef';

function sendEvents(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** Chat Completions, as the provider puts its usage into the last event. */
function chatText(usageOf: (usage: object) => object): (response: ServerResponse) => void {
  const usage = usageOf({ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 });
  const event = (delta: object, more: object = {}): object => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: 'finish_reason' in more ? more.finish_reason : null }],
    ...('finish_reason' in more ? usage : {}),
  });
  return (response) =>
    sendEvents(response, [
      event({ role: 'assistant', content: 'Hel' }),
      event({ role: 'assistant', content: 'lo' }),
      event({ role: 'assistant', content: '' }, { finish_reason: 'stop' }),
    ]);
}

function responsesText(response: ServerResponse): void {
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] };
  const about = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] };
  const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 };
  const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0 };
  sendEvents(response, [
    { type: 'response.created', response: { ...about, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { ...delta, delta: 'Hel' },
    { ...delta, delta: 'lo' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...about, status: 'completed', usage } },
  ]);
}

function anthropicText(response: ServerResponse): void {
  const delta = (text: string): object => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  });
  sendEvents(response, [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 5, output_tokens: 0 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    delta('Hel'),
    delta('lo'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ]);
}

function geminiText(response: ServerResponse): void {
  const chunk = (text: string, more: object = {}): object => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
  });
  sendEvents(response, [chunk('Hel'), chunk('lo', { finishReason: 'STOP' })]);
}

function cohereText(response: ServerResponse): void {
  const delta = (text: string): object => ({
    type: 'content-delta',
    index: 0,
    delta: { message: { content: { text } } },
  });
  sendEvents(response, [
    { type: 'message-start', id: 'm', delta: { message: { role: 'assistant', content: [] } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    delta('Hel'),
    delta('lo'),
    { type: 'content-end', index: 0 },
    {
      type: 'message-end',
      delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 5, output_tokens: 7 } } },
    },
  ]);
}

/** The parts of a model's answer as the AI SDK has them, which is what the gateway sends. */
function gatewayText(response: ServerResponse): void {
  sendEvents(response, [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hel' },
    { type: 'text-delta', id: 't', delta: 'lo' },
    { type: 'text-end', id: 't' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 5 }, outputTokens: { total: 7 } },
    },
  ]);
}

/** A message of AWS's event stream: lengths, headers, payload, each with its checksum. */
function eventStreamMessage(type: string, payload: object): Buffer {
  const header = (name: string, value: string): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(value.length);
    return Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7]),
      length,
      Buffer.from(value),
    ]);
  };
  const headers = Buffer.concat([header(':message-type', 'event'), header(':event-type', type)]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body, Buffer.alloc(4)]);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

function bedrockText(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  response.write(eventStreamMessage('messageStart', { role: 'assistant' }));
  for (const text of ['Hel', 'lo']) {
    response.write(eventStreamMessage('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }));
  }
  response.write(eventStreamMessage('contentBlockStop', { contentBlockIndex: 0 }));
  response.write(eventStreamMessage('messageStop', { stopReason: 'end_turn' }));
  const usage = { inputTokens: 5, outputTokens: 7, totalTokens: 12 };
  response.end(eventStreamMessage('metadata', { usage, metrics: { latencyMs: 1 } }));
}

type Row = {
  ref: string;
  keyVariable: string;
  /** Where the server was asked, behind the base URL. */
  path: string;
  /** The header that has the key, and what else stands in it. */
  header: [name: string, before: string];
  answer: (response: ServerResponse) => void;
  env?: Record<string, string>;
};

const bearer: Row['header'] = ['authorization', 'Bearer '];
const rows: Record<string, Row> = {
  openai: {
    ref: 'openai:gpt-x',
    keyVariable: 'OPENAI_API_KEY',
    path: '/responses',
    header: bearer,
    answer: responsesText,
  },
  anthropic: {
    ref: 'anthropic:claude-x',
    keyVariable: 'ANTHROPIC_API_KEY',
    path: '/messages',
    header: ['x-api-key', ''],
    answer: anthropicText,
  },
  google: {
    ref: 'google:gemini-x',
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    path: '/models/gemini-x:streamGenerateContent?alt=sse',
    header: ['x-goog-api-key', ''],
    answer: geminiText,
  },
  mistral: {
    ref: 'mistral:mistral-x',
    keyVariable: 'MISTRAL_API_KEY',
    path: '/chat/completions',
    header: bearer,
    answer: chatText((usage) => ({ usage })),
  },
  groq: {
    ref: 'groq:llama-x',
    keyVariable: 'GROQ_API_KEY',
    path: '/chat/completions',
    header: bearer,
    answer: chatText((usage) => ({ x_groq: { usage } })),
  },
  xai: {
    ref: 'xai:grok-x',
    keyVariable: 'XAI_API_KEY',
    path: '/responses',
    header: bearer,
    answer: responsesText,
  },
  deepseek: {
    ref: 'deepseek:deepseek-x',
    keyVariable: 'DEEPSEEK_API_KEY',
    path: '/chat/completions',
    header: bearer,
    answer: chatText((usage) => ({ usage })),
  },
  togetherai: {
    ref: 'togetherai:meta-llama/x',
    keyVariable: 'TOGETHER_API_KEY',
    path: '/chat/completions',
    header: bearer,
    answer: chatText((usage) => ({ usage })),
  },
  fireworks: {
    ref: 'fireworks:accounts/fireworks/models/x',
    keyVariable: 'FIREWORKS_API_KEY',
    path: '/chat/completions',
    header: bearer,
    answer: chatText((usage) => ({ usage })),
  },
  cohere: {
    ref: 'cohere:command-x',
    keyVariable: 'COHERE_API_KEY',
    path: '/chat',
    header: bearer,
    answer: cohereText,
  },
  perplexity: {
    ref: 'perplexity:sonar-x',
    keyVariable: 'PERPLEXITY_API_KEY',
    path: '/chat/completions',
    header: bearer,
    answer: chatText((usage) => ({ usage })),
  },
  azure: {
    ref: 'azure:my-deployment',
    keyVariable: 'AZURE_API_KEY',
    path: '/responses',
    header: ['api-key', ''],
    answer: responsesText,
  },
  bedrock: {
    ref: 'bedrock:anthropic.claude-x:0',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    env: { AWS_REGION: 'eu-west-1' },
    path: '/model/anthropic.claude-x%3A0/converse-stream',
    header: bearer,
    answer: bedrockText,
  },
  vertex: {
    ref: 'vertex:gemini-x',
    keyVariable: 'GOOGLE_VERTEX_API_KEY',
    path: '/models/gemini-x:streamGenerateContent?alt=sse',
    header: ['x-goog-api-key', ''],
    answer: geminiText,
  },
  gateway: {
    ref: 'gateway:openai/gpt-x',
    keyVariable: 'AI_GATEWAY_API_KEY',
    path: '/language-model',
    header: bearer,
    answer: gatewayText,
  },
};

/** Fails where a request has the key anywhere but in this header. */
function expectKeyOnlyIn({ path, headers, body }: SeenRequest, [name, before]: Row['header']): void {
  const { [name]: held, ...others } = headers;
  expect(held).toBe(before + key);
  expect(JSON.stringify([path, others, body])).not.toContain(key);
}

beforeEach(() => vi.stubEnv('npm_config_user_agent', 'npm/11.0.0 node/v24.0.0 linux x64'));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test('every built-in provider is tried here', () => {
  expect(Object.keys(rows)).toEqual(builtInProviders);
});

describe.each(Object.entries(rows))('%s', (provider, { ref, keyVariable, path, header, answer, env }) => {
  const account = { [keyVariable]: key, ...env };
  const base = provider === 'gateway' ? 'AI_GATEWAY_API_BASE' : `${provider.toUpperCase()}_API_BASE`;

  test('its own package streams an answer, with the key in one header', async () => {
    await using server = await startServer((response) => answer(response));
    const settings = { ...account, [base]: server.url };
    const { result } = await runPrompt((prompt) => prompt.$`Hi`, { model: ref, env: settings });
    const texts: string[] = [];
    for await (const text of result.textStream) texts.push(text);
    expect(texts).toEqual(['Hel', 'lo']);
    expect(await result.usage).toMatchObject({ inputTokens: 5, outputTokens: 7 });
    expect(server.seen.map((request) => request.path)).toEqual([`/v1${path}`]);
    expectKeyOnlyIn(server.seen[0]!, header);
  }, 30_000);

  test('an error that repeats the key does not show it', async () => {
    await using server = await startServer((response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      const message = `No such key: ${key}`;
      response.end(JSON.stringify({ message, error: { message, type: 'authentication_error' } }));
    });
    const { result, run } = await runPrompt((prompt) => prompt.$`Hi`, {
      model: ref,
      env: { ...account, [base]: server.url },
      options: { maxRetries: 0 },
    });
    await result.consumeStream({ onError: () => {} });
    expect(JSON.stringify(run.log())).not.toContain(key);
    expect(run.getState().error?.message).toContain('No such key: [redacted]');
    expect(run.getState().error?.code).toBe('auth');
  }, 30_000);

  test('a redirect is refused', async () => {
    await using server = await startServer((response) =>
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
    );
    const model = await resolveModel(ref, { env: { ...account, [base]: server.url } });
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
    await expect(model.doStream({ prompt })).rejects.toThrow('redirect');
  });

  test('without a key, the variable to set is named', async () => {
    const error = await resolveModel(ref, { env: {} }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'missing_key' });
    expect((error as Error).message).toContain(`Set ${keyVariable}`);
  });

  test('a package that is not installed is named', async () => {
    const packages = {
      [provider]: () =>
        Promise.reject(new Error("Cannot find package '@ai-sdk/lost' imported from /app/x.js")),
    };
    await expect(
      resolveModel(ref, { env: { ...account, [base]: 'https://a.example' }, packages }),
    ).rejects.toMatchObject({
      code: 'missing_package',
      message: `Models of "${provider}" need the package @ai-sdk/lost, which is not installed. Install it: npm install @ai-sdk/lost`,
    });
  });

  test('its key counts as a secret', () => {
    expect(secretsOf(account)).toContain(key);
  });
});

describe('a recorded tool call', () => {
  test.each([
    ['groq', {}, '', { inputTokens: 210, outputTokens: 15 }],
    ['deepseek', { location: 'San Francisco' }, 'The user is asking', { inputTokens: 339, outputTokens: 83 }],
  ])('of %s runs, and its result is sent', async (provider, args, reasoning, usage) => {
    const file = new URL(`recorded/${provider}-chat-tool-call.jsonl`, import.meta.url);
    const events = readFileSync(file, 'utf8').trim().split('\n');
    const { keyVariable, answer } = rows[provider]!;
    await using server = await startServer((response, { body }) => {
      const isAnswered = JSON.stringify(body['messages']).includes('"role":"tool"');
      if (isAnswered) answer(response);
      else
        sendEvents(
          response,
          events.map((line) => JSON.parse(line) as object),
        );
    });
    const weather = vi.fn(() => 'clear skies');
    const { result, run } = await runPrompt(
      (prompt) => {
        prompt.defTool('weather', 'Weather', z.object({ location: z.string().optional() }), weather);
        prompt.$`How is the weather?`;
      },
      {
        model: `${provider}:model-x`,
        env: { [keyVariable]: key, [`${provider.toUpperCase()}_API_BASE`]: server.url },
      },
    );
    expect(await result.text).toBe('Hello');
    expect(weather).toHaveBeenCalledWith(args, expect.anything());
    expect(run.getState().steps[0]).toMatchObject({ usage });
    expect(JSON.stringify(run.getState().messages)).toContain(reasoning);
    expect(JSON.stringify(server.seen[1]?.body['messages'])).toContain('clear skies');
  });
});

const said = async (ref: string, env: Record<string, string>): Promise<string> => {
  const error: unknown = await resolveModel(ref, { env }).catch((thrown: unknown) => thrown);
  if (!CuelineError.isInstance(error)) throw new Error(`not refused: ${String(error)}`);
  return `${error.code}: ${error.message}`;
};

/** The address that a model asks, and the headers that it sends. */
async function sentBy(ref: string, env: Record<string, string>): Promise<{ url: string; headers: Headers }> {
  let sent: { url: string; headers: Headers } | undefined;
  const model = await resolveModel(ref, {
    env,
    fetch: async (input, init) => {
      sent = { url: input as string, headers: new Headers(init?.headers) };
      return Response.json({}, { status: 400 });
    },
  });
  await streamText({ model, prompt: 'Hi', maxRetries: 0, onError: () => {} }).consumeStream();
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
}

describe('providers that need more than a key', () => {
  test('Azure: the name of the resource makes the address', async () => {
    const { url } = await sentBy('azure:mine', { AZURE_API_KEY: key, AZURE_RESOURCE_NAME: 'my-lab' });
    expect(url).toBe('https://my-lab.openai.azure.com/openai/v1/responses?api-version=v1');
    expect(await said('azure:mine', { AZURE_API_KEY: key })).toBe(
      'missing_setting: Provider "azure" is not fully described. Set AZURE_RESOURCE_NAME, or AZURE_API_BASE as well.',
    );
    expect(await said('azure:mine', { AZURE_RESOURCE_NAME: 'my-lab' })).toContain(
      'Set AZURE_API_KEY as well.',
    );
  });

  test('Bedrock: access keys sign the request, and are not sent', async () => {
    const env = {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIA0123456789ABCDEF',
      AWS_SECRET_ACCESS_KEY: 'secret-0123456789',
      AWS_SESSION_TOKEN: 'session-0123456789',
    };
    vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'of-the-process');
    vi.stubEnv('AWS_ENDPOINT_URL', 'https://wrong.example');
    const { url, headers } = await sentBy('bedrock:m', env);
    expect(url).toBe('https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse-stream');
    expect(headers.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIA0123456789ABCDEF\/\d+\/eu-west-1\/bedrock\/aws4_request, /,
    );
    expect(headers.get('x-amz-security-token')).toBe(env.AWS_SESSION_TOKEN);
    expect(JSON.stringify([...headers])).not.toContain(env.AWS_SECRET_ACCESS_KEY);
    expect(secretsOf(env)).toEqual(Object.values(env).slice(1));
    const { url: china } = await sentBy('bedrock:m', { ...env, AWS_REGION: 'cn-north-1' });
    expect(china).toContain('https://bedrock-runtime.cn-north-1.amazonaws.com.cn/');
    expect(await said('bedrock:m', { ...env, AWS_REGION: '' })).toContain('Set AWS_REGION as well.');
    expect(await said('bedrock:m', {})).toMatchInlineSnapshot(
      `"missing_key: No API key for bedrock. Set AWS_BEARER_TOKEN_BEDROCK and AWS_REGION, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or use simulated:demo, which needs none. For credentials of another kind, pass providers: { bedrock: createAmazonBedrock({ … }) }."`,
    );
  });

  test('Vertex: a service account gets a token of Google', async () => {
    const { privateKey } = await crypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        hash: 'SHA-256',
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
      true,
      ['sign', 'verify'],
    );
    const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
    const env = {
      GOOGLE_VERTEX_PROJECT: 'my-project',
      GOOGLE_VERTEX_LOCATION: 'europe-west4',
      GOOGLE_CLIENT_EMAIL: 'ada@my-project.example',
      // as it stands in most .env files
      GOOGLE_PRIVATE_KEY: `-----BEGIN PRIVATE KEY-----\\n${der}\\n-----END PRIVATE KEY-----\\n`,
    };
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string, init: { body: URLSearchParams }) => {
      asked.push(url, init.body.toString());
      return Response.json({ access_token: 'short-lived' });
    });
    const { url, headers } = await sentBy('vertex:gemini-x', env);
    expect(url).toBe(
      'https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-x:streamGenerateContent?alt=sse',
    );
    expect(headers.get('authorization')).toBe('Bearer short-lived');
    expect(asked[0]).toBe('https://oauth2.googleapis.com/token');
    expect(asked.join()).not.toContain(der.slice(0, 40));
    expect(await said('vertex:x', { ...env, GOOGLE_PRIVATE_KEY: '' })).toContain(
      'or GOOGLE_PRIVATE_KEY as well.',
    );
    expect(await said('vertex:x', {})).toMatchInlineSnapshot(
      `"missing_key: No API key for vertex. Set GOOGLE_VERTEX_API_KEY, or GOOGLE_CLIENT_EMAIL, GOOGLE_PRIVATE_KEY, GOOGLE_VERTEX_PROJECT and GOOGLE_VERTEX_LOCATION, or use simulated:demo, which needs none. For credentials of another kind, pass providers: { vertex: createGoogleVertex({ … }) }."`,
    );
  });

  test.each([
    ['azure:m', { AZURE_API_KEY: key, AZURE_RESOURCE_NAME: 'a.evil.example/' }],
    ['vertex:m', { ...vertexAccount(), GOOGLE_VERTEX_LOCATION: 'a.evil.example/' }],
    ['bedrock:m', { AWS_BEARER_TOKEN_BEDROCK: key, AWS_REGION: 'a.evil.example/' }],
  ])('%s: what cannot be part of a host is refused', async (ref, env) => {
    const fetch = vi.fn();
    const call = async (): Promise<unknown> => {
      const model = await resolveModel(ref, { env, fetch });
      return model.doStream({
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      } as never);
    };
    await expect(call()).rejects.toThrow(/nvalid/);
    expect(fetch).not.toHaveBeenCalled();
  });
});

function vertexAccount(): Record<string, string> {
  return {
    GOOGLE_VERTEX_PROJECT: 'my-project',
    GOOGLE_VERTEX_LOCATION: 'us',
    GOOGLE_CLIENT_EMAIL: 'ada@my-project.example',
    GOOGLE_PRIVATE_KEY: 'none',
  };
}

describe('the AI Gateway', () => {
  test.each([
    [429, 'rate_limit_exceeded', 'rate_limited'],
    [400, 'invalid_request_error', 'bad_request'],
    [404, 'model_not_found', 'model_denied'],
    [503, 'internal_server_error', 'overloaded'],
  ])('its errors are named: %s %s', async (status, type, code) => {
    await using server = await startServer((response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Not like this.', type } }));
    });
    const { result, run } = await runPrompt((prompt) => prompt.$`Hi`, {
      model: 'openai/gpt-x',
      env: { AI_GATEWAY_API_KEY: key, AI_GATEWAY_API_BASE: server.url },
      options: { maxRetries: 0 },
    });
    await result.consumeStream({ onError: () => {} });
    expect(run.getState().error).toMatchObject({ code, message: expect.stringContaining('Not like this.') });
  });

  const modelOf = async (ref: string, env: Record<string, string> = {}): Promise<string> => {
    const { headers } = await sentBy(ref, { AI_GATEWAY_API_KEY: key, ...env });
    return headers.get('ai-language-model-id') ?? 'not of the gateway';
  };

  test.each([
    'openai/gpt-5-mini',
    ' openai/gpt-5-mini ',
    'gateway:openai/gpt-5-mini',
    'gateway/openai/gpt-5-mini',
  ])('"%s" is asked of it', async (ref) => expect(await modelOf(ref)).toBe('openai/gpt-5-mini'));

  test('provider:model goes to the provider itself, with any characters in its id', async () => {
    const { url } = await sentBy('groq:openai/gpt-oss-20b', { GROQ_API_KEY: key, AI_GATEWAY_API_KEY: 'b' });
    expect(url).toBe('https://api.groq.com/openai/v1/chat/completions');
  });

  test('an alias leads to it, and goes before it', async () => {
    expect(await modelOf('fast', { LM_MODEL_FAST: 'anthropic/claude-x' })).toBe('anthropic/claude-x');
    const direct = { LM_MODEL_GROQ_LLAMA_X: 'groq:llama-x', GROQ_API_KEY: key };
    expect((await sentBy('groq/llama-x', direct)).url).toContain('https://api.groq.com/');
  });

  test("an app's own gateway gets neither the prompt nor the key", async () => {
    const own = { GATEWAY_API_BASE: 'https://own.example/v1', GATEWAY_BASE_URL: 'https://own.example/v1' };
    const { url } = await sentBy('openai/gpt-x', { AI_GATEWAY_API_KEY: key, ...own });
    expect(url).toBe('https://ai-gateway.vercel.sh/v4/ai/language-model');
  });

  test('an alias that is misspelt is not sent to it', async () => {
    const env = { LM_MODEL_TEAM_FAST: 'groq:llama-x', LM_MODEL_OPENAI_GPT_5: 'azure:mine' };
    expect(await said('team/fsat', { ...env, AI_GATEWAY_API_KEY: key })).toBe(
      'unknown_model: Unknown model alias "team/fsat". Known aliases: team_fast, openai_gpt_5. Set LM_MODEL_TEAM_FSAT or ' +
        'pass a LanguageModel. Did you mean team_fast? For the AI Gateway write gateway:team/fsat.',
    );
    expect(await said('fast', { ...env, LM_MODEL_FAST: 'Team/Fsat' })).toContain('Did you mean team_fast?');
    expect(await modelOf('gateway:team/fsat', env)).toBe('team/fsat');
    expect(await modelOf('gateway/team/fsat', env)).toBe('team/fsat');
    expect(await modelOf('openai/gpt-4', env)).toBe('openai/gpt-4');
    expect(await modelOf('zai/glm-4.6', env)).toBe('zai/glm-4.6');
  });

  test('a provider in code replaces it', async () => {
    const gateway = vi.fn((id: string) => resolveModel(`openai:${id}`, { env: { OPENAI_API_KEY: key } }));
    await resolveModel('openai/gpt-x', { env: {}, providers: { gateway } });
    expect(gateway).toHaveBeenCalledWith('openai/gpt-x');
  });

  test('without a key, the error explains how to call the provider itself', async () => {
    expect(await said('groq/llama-x', { GROQ_API_KEY: key })).toMatchInlineSnapshot(
      `"missing_key: No API key for gateway. Set AI_GATEWAY_API_KEY, or use simulated:demo, which needs none. A model written provider/model goes through the AI Gateway; provider:model asks the provider itself."`,
    );
  });

  test('on Vercel a token replaces the key', async () => {
    vi.stubEnv('VERCEL_OIDC_TOKEN', `a.${Buffer.from('{"exp":9999999999}').toString('base64url')}.c`);
    vi.stubEnv('AI_GATEWAY_API_KEY', 'of-the-process');
    const { headers } = await sentBy('openai/gpt-x', { VERCEL: '1' });
    expect(headers.get('ai-gateway-auth-method')).toBe('oidc');
    expect(JSON.stringify([...headers])).not.toContain('of-the-process');
  });
});

describe('withoutProviderStorage', () => {
  const env = {
    OPENAI_API_KEY: key,
    AZURE_API_KEY: key,
    AZURE_RESOURCE_NAME: 'lab',
    XAI_API_KEY: key,
    AI_GATEWAY_API_KEY: key,
  };

  /** What is asked of the provider to keep. */
  async function storeOf(ref: string, providerOptions: Record<string, Record<string, boolean>> = {}) {
    let body: { store?: boolean; providerOptions?: unknown } = {};
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      body = JSON.parse(init!.body as string) as typeof body;
      return Response.json({}, { status: 400 });
    };
    const model = await resolveModel(ref, withoutProviderStorage({ env, fetch }));
    const result = streamText({ model, prompt: 'Hi', maxRetries: 0, onError: () => {}, providerOptions });
    await result.consumeStream();
    return body.providerOptions ?? body.store;
  }

  test.each(['openai:gpt-x', 'azure:mine', 'xai:grok-x'])(
    '%s: nothing is kept at the provider',
    async (ref) => {
      const [provider = ''] = ref.split(':');
      expect(await storeOf(ref)).toBe(false);
      // options of its own do not undo it, and what they say of it does
      expect(await storeOf(ref, { [provider]: { parallelToolCalls: false } })).toBe(false);
      expect(await storeOf(ref, { [provider]: { store: true } })).not.toBe(false);
    },
  );

  test('Azure, with the options of OpenAI, which it reads', async () => {
    expect(await storeOf('azure:mine', { openai: { parallelToolCalls: false } })).toBe(false);
    expect(await storeOf('azure:mine', { openai: { store: true } })).toBe(true);
  });

  test('by way of the AI Gateway, of the same providers', async () => {
    expect(await storeOf('openai/gpt-x')).toMatchObject({ openai: { store: false } });
    expect(await storeOf('gateway:xai/grok-x')).toMatchObject({ xai: { store: false } });
    expect(await storeOf('anthropic/claude-x')).not.toMatchObject({ openai: expect.anything() });
  });
});
