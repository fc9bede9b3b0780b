import { Buffer } from 'node:buffer';
import { withoutProviderStorage, resolveModel, secretsOf } from '@cueline/core/models';
import { streamText } from 'ai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { refusalOf, sentBy } from './sent-by.ts';

const key = 'key-0123456789abcdef';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('Providers that need more than a key', () => {
  test('Azure: the name of the resource makes the URL', async () => {
    const { url } = await sentBy('azure:mine', { AZURE_API_KEY: key, AZURE_RESOURCE_NAME: 'my-lab' });
    expect(url).toBe('https://my-lab.openai.azure.com/openai/v1/responses?api-version=v1');
    expect(await refusalOf('azure:mine', { AZURE_API_KEY: key })).toBe(
      'missing_setting: Provider "azure" is not fully described. Set AZURE_RESOURCE_NAME, or AZURE_API_BASE as well.',
    );
    expect(await refusalOf('azure:mine', { AZURE_RESOURCE_NAME: 'my-lab' })).toContain(
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
    expect(await refusalOf('bedrock:m', { ...env, AWS_REGION: '' })).toContain('Set AWS_REGION as well.');
    expect(await refusalOf('bedrock:m', {})).toMatchInlineSnapshot(
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
      // as in most .env files
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
    expect(await refusalOf('vertex:x', { ...env, GOOGLE_PRIVATE_KEY: '' })).toContain(
      'or GOOGLE_PRIVATE_KEY as well.',
    );
    expect(await refusalOf('vertex:x', {})).toMatchInlineSnapshot(
      `"missing_key: No API key for vertex. Set GOOGLE_VERTEX_API_KEY, or GOOGLE_CLIENT_EMAIL, GOOGLE_PRIVATE_KEY, GOOGLE_VERTEX_PROJECT and GOOGLE_VERTEX_LOCATION, or use simulated:demo, which needs none. For credentials of another kind, pass providers: { vertex: createGoogleVertex({ … }) }."`,
    );
  });

  test.each([
    ['azure:m', { AZURE_API_KEY: key, AZURE_RESOURCE_NAME: 'a.evil.example/' }],
    ['vertex:m', { ...vertexAccount(), GOOGLE_VERTEX_LOCATION: 'a.evil.example/' }],
    ['bedrock:m', { AWS_BEARER_TOKEN_BEDROCK: key, AWS_REGION: 'a.evil.example/' }],
  ])('%s: values that cannot be part of a host are refused', async (ref, env) => {
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

  test.each(['openai:gpt-x', 'azure:mine', 'xai:grok-x'])('%s keeps nothing at the provider', async (ref) => {
    const [provider = ''] = ref.split(':');
    expect(await storeOf(ref)).toBe(false);
    // options of its own do not undo it, and what they say of it does
    expect(await storeOf(ref, { [provider]: { parallelToolCalls: false } })).toBe(false);
    expect(await storeOf(ref, { [provider]: { store: true } })).not.toBe(false);
  });

  test('Azure reads the options of OpenAI', async () => {
    expect(await storeOf('azure:mine', { openai: { parallelToolCalls: false } })).toBe(false);
    expect(await storeOf('azure:mine', { openai: { store: true } })).toBe(true);
  });

  test('the same providers keep nothing through the AI Gateway', async () => {
    expect(await storeOf('openai/gpt-x')).toMatchObject({ openai: { store: false } });
    expect(await storeOf('gateway:xai/grok-x')).toMatchObject({ xai: { store: false } });
    expect(await storeOf('anthropic/claude-x')).not.toMatchObject({ openai: expect.anything() });
  });
});
