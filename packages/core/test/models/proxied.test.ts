import { CuelineError } from '@cueline/core';
import { proxied, type ProxiedOptions, resolveModel, secretsOf, toRunError } from '@cueline/core/models';
import { generateText, streamText } from 'ai';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => void vi.unstubAllGlobals());

type Sent = {
  url: string;
  headers: Record<string, string>;
  init: RequestInit;
  body: Record<string, unknown>;
};

/** Asks a model by way of a server that refuses, and gives what was sent. */
async function send(
  ref: string,
  options: ProxiedOptions = {},
  url: string | URL = 'https://a.example/api/models/',
): Promise<Sent> {
  let sent: Sent | undefined;
  const settings = proxied(url, {
    ...options,
    fetch: async (input, init) => {
      sent = {
        url: input as string,
        headers: Object.fromEntries(new Headers(init?.headers)),
        init: init!,
        body: JSON.parse(init?.body as string) as Record<string, unknown>,
      };
      return Response.json({ error: { code: 'model_denied', message: 'Not here.' } }, { status: 403 });
    },
  });
  const model = await resolveModel(ref, settings);
  await generateText({ model, prompt: 'Hi', maxRetries: 0 }).catch(() => {});
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
}

/** Reads a stream to its end, or to the error in it. */
async function readStream(options: Parameters<typeof streamText>[0]): Promise<void> {
  for await (const part of streamText({ ...options, onError: () => {} }).fullStream) {
    if (part.type === 'error') throw part.error;
  }
}

/** The error with which a call through a server ends that answers like this. */
async function failureOf(answer: () => Response): Promise<CuelineError> {
  const settings = proxied('https://a.example/api/models', { fetch: async () => answer() });
  try {
    await readStream({ model: await resolveModel('groq:x', settings), prompt: 'Hi', maxRetries: 0 });
  } catch (error) {
    return toRunError(error);
  }
  throw new Error('nothing failed');
}

describe('proxied', () => {
  test("refuses a redirect by the app's server, also one that a browser shows without its status", async () => {
    const opaque = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
      ok: { value: false },
    });
    const redirect = new Response(null, { status: 307, headers: { location: 'https://b.example/' } });
    for (const answer of [opaque, redirect]) {
      expect((await failureOf(() => answer)).code).toBe('redirect_blocked');
    }
  });

  test.each([10, 5_000])(
    'reports why the proxy ended a stream, also if it arrives with %i characters before it',
    async (length) => {
      const delta = { choices: [{ index: 0, delta: { content: 'x'.repeat(length) } }] };
      const fault = { error: { type: 'proxy_error', code: 'unavailable', message: 'Switched off.' } };
      const text = `data: ${JSON.stringify(delta)}\n\nevent: proxy-error\ndata: ${JSON.stringify(fault)}\n\n`;
      const headers = { 'content-type': 'text/event-stream' };
      const error = await failureOf(() => new Response(text, { headers }));
      expect(error).toMatchObject({ code: 'overloaded', message: 'Switched off.' });
    },
  );

  test.each([
    ['openai:gpt-x', '/openai/responses'],
    ['anthropic:claude-x', '/anthropic/messages'],
    ['google:gemini-x', '/google/models/gemini-x:generateContent'],
    ['mistral:mistral-x', '/mistral/chat/completions'],
    ['groq:llama-x', '/groq/chat/completions'],
    ['deepseek:deepseek-x', '/deepseek/chat/completions'],
    ['togetherai:meta-llama/x', '/togetherai/chat/completions'],
    ['fireworks:accounts/fireworks/models/x', '/fireworks/chat/completions'],
  ])('sends %s to %s, without a key', async (ref, path) => {
    const { url, headers, init } = await send(ref);
    expect(url).toBe(`https://a.example/api/models${path}`);
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(authorization|x-api-key|x-goog-api-key)$/)]),
    );
    expect([init.redirect, init.credentials]).toEqual(['manual', undefined]);
  });

  test.each([
    'xai:x',
    'cohere:x',
    'perplexity:x',
    'azure:x',
    'bedrock:x',
    'vertex:x',
    'gateway:openai/x',
    'openai/gpt-x',
  ])('refuses %s, and says what to do instead', async (ref) => {
    await expect(resolveModel(ref, proxied('https://a.example/api/models'))).rejects.toMatchObject({
      code: 'unknown_model',
      message: expect.stringMatching(/^proxied: models of ".*createPromptRoute/),
    });
  });

  test.each([
    '../files',
    '../../openai/responses',
    'a/../../b',
    './a',
    'a//b',
    '/evil.example/x',
    '\\..\\b',
    'a?key=b',
    'a?alt=sse#',
    'a#b',
    'a%2f..%2fb',
    '%2e%2e/b',
    'a b',
    'a\tb',
    'a\u202eb',
  ])('refuses google:%s', async (id) => {
    for (const ask of [generateText, readStream]) {
      const fetch = vi.fn<NonNullable<ProxiedOptions['fetch']>>();
      const model = await resolveModel(`google:${id}`, proxied('https://a.example/api/models', { fetch }));
      const error = await Promise.resolve(ask({ model, prompt: 'Hi', maxRetries: 0 })).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        code: 'unknown_model',
        message: expect.stringMatching(
          /^proxied: ".*" is not a path of a provider, so nothing was sent. Write the model's id/,
        ),
      });
      expect(fetch).not.toHaveBeenCalled();
    }
  });

  // a property of the address alone: every request stays below the provider's path
  test('sends any id under its URL, or refuses it', async () => {
    const piece = fc.constantFrom('..', '%2e', '%2F', ...Array.from('./\\?#:@a\n é'));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (pieces) => {
        const sent: string[] = [];
        const fetch: ProxiedOptions['fetch'] = async (input) => {
          sent.push(input as string);
          return Response.json({}, { status: 404 });
        };
        try {
          const model = await resolveModel(
            `google:${pieces.join('')}`,
            proxied('https://a.example/m', { fetch }),
          );
          await generateText({ model, prompt: 'Hi', maxRetries: 0 });
        } catch {
          // refused there or here
        }
        for (const url of sent) {
          expect(new URL(url).href).toBe(url);
          expect(url).toMatch(/^https:\/\/a\.example\/m\/google\/[^?#%\\]+$/);
        }
      }),
    );
  });

  test('asks OpenAI to store nothing', async () => {
    expect((await send('openai:gpt-x')).body['store']).toBe(false);
  });

  test('sends cookies and its headers, which are read before each request', async () => {
    let count = 0;
    const options: ProxiedOptions = {
      headers: async () => ({ authorization: `Bearer ${(count += 1)}` }),
      credentials: 'include',
    };
    const { headers, init } = await send('openai:gpt-x', options);
    expect([headers['authorization'], init.credentials]).toEqual(['Bearer 1', 'include']);
    expect((await send('openai:gpt-x', options)).headers['authorization']).toBe('Bearer 2');
    const fixed = await send('anthropic:claude-x', { headers: { Authorization: 'Bearer ada' } });
    expect(fixed.headers['authorization']).toBe('Bearer ada');
  });

  test('ends the call without a retry if its headers fail', async () => {
    const ask = async (headers: ProxiedOptions['headers']): Promise<unknown> => {
      const model = await resolveModel(
        'openai:gpt-x',
        proxied('https://a.example', { headers, fetch: vi.fn() }),
      );
      return generateText({ model, prompt: 'Hi', maxRetries: 0 }).catch((error: unknown) => error);
    };
    const broken = (await ask({ authorization: 'Bearer sec\nret' })) as Error;
    const thrown = (await ask(() => Promise.reject(new Error('signed out')))) as Error;
    expect([broken.message, thrown.message]).toEqual([
      'proxied: header "authorization" has a character that HTTP does not allow, such as a line break.',
      'proxied: headers threw: signed out',
    ]);
  });

  test('resolves a path against the URL of the page', async () => {
    vi.stubGlobal('location', { href: 'https://play.example/app/page?x=1' });
    expect((await send('openai:gpt-x', {}, '/api/models')).url).toBe(
      'https://play.example/api/models/openai/responses',
    );
  });

  test.each(['openai:gpt-x', 'google:gemini-x'])(
    'without a page, a path is an error only when %s is resolved',
    async (ref) => {
      vi.stubGlobal('process', { ...process, env: { OPENAI_API_KEY: 'sk-of-the-process' } });
      const settings = proxied('/api/models');
      await expect(resolveModel(ref, settings)).rejects.toMatchObject({
        code: 'invalid_base_url',
        message: expect.stringContaining('is the path "/api/models", and a path works only in a page.'),
      });
      await expect(resolveModel('xai:x', settings)).rejects.toMatchObject({ code: 'unknown_model' });
    },
  );

  test.each(['api/models', 'ftp://a.example', 'https://ada:pw@a.example', 'https://a.example?x=1'])(
    'refuses %s as its URL',
    (url) => {
      const create = (): unknown => proxied(url);
      expect(create).toThrow(CuelineError);
      expect(create).toThrow("proxied's url");
    },
  );

  test('uses no other provider, no key of the process and no secret to redact', async () => {
    vi.stubGlobal('process', { ...process, env: { OPENAI_API_KEY: 'sk-of-the-process' } });
    const settings = proxied(new URL('https://a.example/m'));
    await expect(resolveModel('zai:x', settings)).rejects.toMatchObject({ code: 'unknown_model' });
    expect(JSON.stringify(settings)).not.toContain('sk-of');
    expect(secretsOf(settings.env!).every((secret) => secret === 'none')).toBe(true);
  });
});
