import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { runPrompt } from '@cueline/core';
import { builtInProviders, resolveModel, secretsOf } from '@cueline/core/models';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { type SeenRequest, startServer } from './chat-server.ts';
import {
  anthropicText,
  bedrockText,
  chatText,
  cohereText,
  gatewayText,
  geminiText,
  responsesText,
  sendEvents,
} from './provider-answers.ts';

const key = 'key-0123456789abcdef';

/** Provider, model id, variable of the key, path behind the base URL, header and what it has before the key, answer. */
type Row = [string, string, string, string, [string, string], (response: ServerResponse) => void, object?];

const bearer: Row[4] = ['authorization', 'Bearer '];
const gemini = '/models/gemini-x:streamGenerateContent?alt=sse';
const chat = '/chat/completions';
const chatUsage = chatText((usage) => ({ usage }));
const groqUsage = chatText((usage) => ({ x_groq: { usage } }));
const region = { AWS_REGION: 'eu-west-1' };
const bedrockPath = '/model/anthropic.claude-x%3A0/converse-stream';
const rows: Row[] = [
  ['openai', 'gpt-x', 'OPENAI_API_KEY', '/responses', bearer, responsesText],
  ['anthropic', 'claude-x', 'ANTHROPIC_API_KEY', '/messages', ['x-api-key', ''], anthropicText],
  ['google', 'gemini-x', 'GOOGLE_GENERATIVE_AI_API_KEY', gemini, ['x-goog-api-key', ''], geminiText],
  ['mistral', 'mistral-x', 'MISTRAL_API_KEY', chat, bearer, chatUsage],
  ['groq', 'llama-x', 'GROQ_API_KEY', chat, bearer, groqUsage],
  ['xai', 'grok-x', 'XAI_API_KEY', '/responses', bearer, responsesText],
  ['deepseek', 'deepseek-x', 'DEEPSEEK_API_KEY', chat, bearer, chatUsage],
  ['togetherai', 'meta-llama/x', 'TOGETHER_API_KEY', chat, bearer, chatUsage],
  ['fireworks', 'accounts/fireworks/models/x', 'FIREWORKS_API_KEY', chat, bearer, chatUsage],
  ['cohere', 'command-x', 'COHERE_API_KEY', '/chat', bearer, cohereText],
  ['perplexity', 'sonar-x', 'PERPLEXITY_API_KEY', chat, bearer, chatUsage],
  ['azure', 'my-deployment', 'AZURE_API_KEY', '/responses', ['api-key', ''], responsesText],
  ['bedrock', 'anthropic.claude-x:0', 'AWS_BEARER_TOKEN_BEDROCK', bedrockPath, bearer, bedrockText, region],
  ['vertex', 'gemini-x', 'GOOGLE_VERTEX_API_KEY', gemini, ['x-goog-api-key', ''], geminiText],
  ['gateway', 'openai/gpt-x', 'AI_GATEWAY_API_KEY', '/language-model', bearer, gatewayText],
];

/** Fails where a request has the key anywhere but in this header. */
function expectKeyOnlyIn({ path, headers, body }: SeenRequest, [name, before]: Row[4]): void {
  const { [name]: held, ...others } = headers;
  expect(held).toBe(before + key);
  expect(JSON.stringify([path, others, body])).not.toContain(key);
}

beforeEach(() => vi.stubEnv('npm_config_user_agent', 'npm/11.0.0 node/v24.0.0 linux x64'));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test('The table has every built-in provider', () => {
  expect(rows.map(([provider]) => provider)).toEqual(builtInProviders);
});

describe.each(rows)('%s', (provider, id, keyVariable, path, header, answer, env) => {
  const ref = `${provider}:${id}`;
  const account = { [keyVariable]: key, ...env };
  const base = provider === 'gateway' ? 'AI_GATEWAY_API_BASE' : `${provider.toUpperCase()}_API_BASE`;

  test('streams an answer with its own package, with the key in one header', async () => {
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

  test('removes the key that an error repeats', async () => {
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

  test('follows no redirect', async () => {
    await using server = await startServer((response) =>
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
    );
    const model = await resolveModel(ref, { env: { ...account, [base]: server.url } });
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
    await expect(model.doStream({ prompt })).rejects.toThrow('redirect');
  });

  test('names the variable to set if there is no key', async () => {
    const error = await resolveModel(ref, { env: { [keyVariable]: '  ' } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'missing_key' });
    expect((error as Error).message).toContain(`Set ${keyVariable}`);
  });

  test('names a package that is not installed', async () => {
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

  test('has a key that counts as a secret', () => {
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
    const [, , keyVariable, , , answer] = rows.find(([name]) => name === provider)!;
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
