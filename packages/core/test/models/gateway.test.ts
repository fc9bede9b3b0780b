import { Buffer } from 'node:buffer';
import { runPrompt } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startServer } from './chat-server.ts';
import { refusalOf, sentBy } from './sent-by.ts';

const key = 'key-0123456789abcdef';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('The AI Gateway', () => {
  test.each([
    [429, 'rate_limit_exceeded', 'rate_limited'],
    [400, 'invalid_request_error', 'bad_request'],
    [404, 'model_not_found', 'model_denied'],
    [503, 'internal_server_error', 'overloaded'],
  ])('maps errors: %s %s', async (status, type, code) => {
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
  ])('is used for "%s"', async (ref) => expect(await modelOf(ref)).toBe('openai/gpt-5-mini'));

  test('is not used for provider:model, whatever the id contains', async () => {
    const { url } = await sentBy('groq:openai/gpt-oss-20b', { GROQ_API_KEY: key, AI_GATEWAY_API_KEY: 'b' });
    expect(url).toBe('https://api.groq.com/openai/v1/chat/completions');
  });

  test('can be the target of an alias, and an alias takes precedence', async () => {
    expect(await modelOf('fast', { LM_MODEL_FAST: 'anthropic/claude-x' })).toBe('anthropic/claude-x');
    const direct = { LM_MODEL_GROQ_LLAMA_X: 'groq:llama-x', GROQ_API_KEY: key };
    expect((await sentBy('groq/llama-x', direct)).url).toContain('https://api.groq.com/');
  });

  test("an app's own gateway gets neither the prompt nor the key", async () => {
    const own = { GATEWAY_API_BASE: 'https://own.example/v1', GATEWAY_BASE_URL: 'https://own.example/v1' };
    const { url } = await sentBy('openai/gpt-x', { AI_GATEWAY_API_KEY: key, ...own });
    expect(url).toBe('https://ai-gateway.vercel.sh/v4/ai/language-model');
  });

  test('is not used for a misspelt alias', async () => {
    const env = { LM_MODEL_TEAM_FAST: 'groq:llama-x', LM_MODEL_OPENAI_GPT_5: 'azure:mine' };
    expect(await refusalOf('team/fsat', { ...env, AI_GATEWAY_API_KEY: key })).toBe(
      'unknown_model: Unknown model alias "team/fsat". Known aliases: team_fast, openai_gpt_5. Set LM_MODEL_TEAM_FSAT or ' +
        'pass a LanguageModel. Did you mean team_fast? For the AI Gateway write gateway:team/fsat.',
    );
    expect(await refusalOf('fast', { ...env, LM_MODEL_FAST: 'Team/Fsat' })).toContain(
      'Did you mean team_fast?',
    );
    expect(await modelOf('gateway:team/fsat', env)).toBe('team/fsat');
    expect(await modelOf('gateway/team/fsat', env)).toBe('team/fsat');
    expect(await modelOf('openai/gpt-4', env)).toBe('openai/gpt-4');
    expect(await modelOf('zai/glm-4.6', env)).toBe('zai/glm-4.6');
  });

  test('can be replaced by a provider in code', async () => {
    const gateway = vi.fn((id: string) => resolveModel(`openai:${id}`, { env: { OPENAI_API_KEY: key } }));
    await resolveModel('openai/gpt-x', { env: {}, providers: { gateway } });
    expect(gateway).toHaveBeenCalledWith('openai/gpt-x');
  });

  test('without a key, is an error that names the direct way to the provider', async () => {
    expect(await refusalOf('groq/llama-x', { GROQ_API_KEY: key })).toMatchInlineSnapshot(
      `"missing_key: No API key for gateway. Set AI_GATEWAY_API_KEY, or use simulated:demo, which needs none. A model written provider/model goes through the AI Gateway; provider:model asks the provider itself."`,
    );
  });

  test('uses a token instead of a key on Vercel', async () => {
    vi.stubEnv('VERCEL_OIDC_TOKEN', `a.${Buffer.from('{"exp":9999999999}').toString('base64url')}.c`);
    vi.stubEnv('AI_GATEWAY_API_KEY', 'of-the-process');
    const { headers } = await sentBy('openai/gpt-x', { VERCEL: '1' });
    expect(headers.get('ai-gateway-auth-method')).toBe('oidc');
    expect(JSON.stringify([...headers])).not.toContain('of-the-process');
  });
});
