import { CuelineError } from '@cueline/core';
import {
  createModels,
  type LanguageModelObject,
  type ModelSettings,
  resolveModel,
} from '@cueline/core/models';
import { scriptedModel } from '@cueline/core/testing';
import { streamText } from 'ai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { chat, startServer } from './chat-server.ts';

afterEach(() => void vi.unstubAllGlobals());

/** A provider that gives back what it was asked for. */
const echo = (provider: string) => (modelId: string) => scriptedModel([], { provider, modelId });
const nameOf = (model: LanguageModelObject): string => `${model.provider} ${model.modelId}`;

async function refusal(ref: unknown, settings: ModelSettings = {}): Promise<CuelineError> {
  const error: unknown = await resolveModel(ref as string, { env: {}, ...settings }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!CuelineError.isInstance(error)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

describe('names', () => {
  test('an object of every version that streamText accepts passes through', async () => {
    const model = scriptedModel([]);
    expect(await resolveModel(model)).toBe(model);
    for (const specificationVersion of ['v2', 'v3']) {
      const older = { ...model, specificationVersion } as never;
      expect(await resolveModel(older)).toBe(older);
    }
  });

  test('an object of version 1 is refused', async () => {
    const { doStream, doGenerate } = scriptedModel([]);
    const error = await refusal({ modelId: 'gpt-4', doStream, doGenerate });
    expect(error.toJSON()).toMatchInlineSnapshot(`
      {
        "code": "invalid_options",
        "message": "The model was made for version 4 or older of the AI SDK (specification v1). Update its provider package, or write provider:model, such as 'openai:gpt-4o'.",
      }
    `);
  });

  test.each([[undefined], [null], [7], [{}], [() => 'x']])('%j is not a model', async (value) => {
    const { code, message } = await refusal(value);
    expect(code).toBe('invalid_options');
    expect(message).toContain('The model is not a language model');
  });

  test('the first colon splits provider and id', async () => {
    const providers = { mine: echo('mine') };
    expect(nameOf(await resolveModel('mine:a:b:c', { providers }))).toBe('mine a:b:c');
    expect(nameOf(await resolveModel('  mine:llama3.2:1b ', { providers }))).toBe('mine llama3.2:1b');
  });

  test.each([
    ['', 'The model is an empty string.'],
    ['   ', 'The model is an empty string.'],
    [':gpt-4o', 'Model ":gpt-4o" has no provider before its colon.'],
    ['openai:', 'Model "openai:" has no model id after its colon.'],
    ['openai: ', 'Model "openai:" has no model id after its colon.'],
    [':', 'Model ":" has no provider before its colon.'],
  ])('"%s" is refused', async (ref, message) => {
    const error = await refusal(ref);
    expect(error.code).toBe('unknown_model');
    expect(error.message).toContain(message);
    expect(error.message).toContain('provider:model, such as openai:gpt-4o');
  });

  test('the simulated model needs no key and no package', async () => {
    expect(nameOf(await resolveModel('simulated:demo', { env: {} }))).toBe('simulated demo');
    expect((await refusal('simulated:gpt')).message).toBe(
      'Unknown simulated model "gpt". Write simulated:demo.',
    );
  });

  test('an unknown provider: the error lists the known ones, and what to set', async () => {
    const settings = {
      env: { ZAI_API_BASE: 'https://z.example', ZAI_API_TYPE: 'openai' },
      providers: { mine: echo('m') },
    };
    expect((await refusal('opnai:gpt-4o', settings)).message).toBe(
      'Unknown provider "opnai" in "opnai:gpt-4o". Known providers: mine, openai, anthropic, google, mistral, groq, ' +
        'xai, deepseek, togetherai, fireworks, cohere, perplexity, azure, bedrock, vertex, gateway, simulated, zai. For an OpenAI-compatible server set OPNAI_API_BASE, OPNAI_API_TYPE=openai and OPNAI_API_KEY.',
    );
  });

  test.each(['__proto__', 'constructor', 'toString'])('"%s" is not a provider', async (name) => {
    expect((await refusal(`${name}:x`)).code).toBe('unknown_model');
    expect((await refusal(name)).code).toBe('unknown_model');
  });
});

describe('aliases', () => {
  const providers = { mine: echo('mine') };

  test('lead to a model, over any number of steps', async () => {
    const env = {
      LM_MODEL_LARGE: 'smart',
      LM_MODEL_SMART: ' my-model.v2 ',
      LM_MODEL_MY_MODEL_V2: 'mine:x:1',
    };
    expect(nameOf(await resolveModel('large', { env, providers }))).toBe('mine x:1');
    expect(nameOf(await resolveModel('LARGE', { env, providers }))).toBe('mine x:1');
  });

  test('are refused if they form a cycle', async () => {
    const env = { LM_MODEL_LARGE: 'fast', LM_MODEL_FAST: 'large' };
    const error = await refusal('large', { env });
    expect(error.code).toBe('alias_cycle');
    expect(error.message).toContain('large → fast → large');
    expect((await refusal('me', { env: { LM_MODEL_ME: 'me' } })).message).toContain('me → me');
  });

  test('are listed in the error for an unknown one', async () => {
    const env = { LM_MODEL_LARGE: 'openai:gpt-4o', LM_MODEL_FAST: 'openai:gpt-4o-mini', LM_MODEL_EMPTY: ' ' };
    const error = await refusal('larg', { env });
    expect(error.code).toBe('unknown_model');
    expect(error.message).toBe(
      'Unknown model alias "larg". Known aliases: large, fast. Set LM_MODEL_LARG or pass a LanguageModel.',
    );
    expect((await refusal('one', { env: { LM_MODEL_ONE: 'two', LM_MODEL_THREE: 'x:y' } })).message).toBe(
      'Unknown model alias "two" (from one → two). Known aliases: one, three. Set LM_MODEL_TWO or pass a LanguageModel.',
    );
    expect((await refusal('gpt-4o')).message).toBe(
      'Unknown model alias "gpt-4o": no aliases are set. Write provider:model, such as openai:gpt-4o, ' +
        'set LM_MODEL_GPT_4O, or pass a LanguageModel.',
    );
  });
});

describe('built-in providers', () => {
  test('Google also takes its key from GOOGLE_API_KEY', async () => {
    const model = await resolveModel('google:some-model', { env: { GOOGLE_API_KEY: 'key' } });
    expect(nameOf(model)).toBe('google.generative-ai some-model');
  });

  test('a package is loaded only when its model is used', async () => {
    const loaded: string[] = [];
    const load = (name: string) => async () => {
      loaded.push(name);
      return () => echo(name);
    };
    const models = createModels({
      env: { OPENAI_API_KEY: 'a', MISTRAL_API_KEY: 'b' },
      packages: { openai: load('openai'), mistral: load('mistral') },
    });
    expect(loaded).toEqual([]);
    await models.resolve('mistral:x');
    expect(loaded).toEqual(['mistral']);
  });

  test.each(['OPENAI_API_BASE', 'OPENAI_BASE_URL'])(
    '%s sets the base URL; the environment of the process does not',
    async (variable) => {
      vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/wrong');
      await using server = await startServer((response) => response.writeHead(400).end('{}'));
      const model = await resolveModel('openai:gpt', {
        env: { OPENAI_API_KEY: 'key', [variable]: `${server.url}/` },
      });
      await expect(model.doGenerate({ prompt: [] })).rejects.toThrow();
      expect(server.seen.map(({ path }) => path)).toEqual(['/v1/responses']);
      vi.unstubAllEnvs();
    },
  );

  test.each([
    ['Node', 'Node.js/24', false],
    ['a browser', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', true],
  ])('Anthropic in %s', async (_where, userAgent, direct) => {
    vi.stubGlobal('navigator', { userAgent });
    await using server = await startServer((response) => response.writeHead(400).end('{}'));
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_API_BASE: server.url };
    const seen: (string | null)[] = [];
    const model = await resolveModel('anthropic:claude', {
      env,
      fetch: (input, init) => {
        seen.push(new Headers(init?.headers).get('user-agent'));
        return fetch(input, init);
      },
    });
    await expect(
      model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }),
    ).rejects.toThrow();
    expect(server.seen[0]?.headers['anthropic-dangerous-direct-browser-access']).toBe(
      direct ? 'true' : undefined,
    );
    expect(seen[0] === null).toBe(direct);
  });

  test('can be replaced by a provider in code', async () => {
    const model = await resolveModel('openai:gpt-4o', {
      env: { OPENAI_API_KEY: 'key' },
      providers: { openai: echo('mine') },
    });
    expect(nameOf(model)).toBe('mine gpt-4o');
  });
});

describe('providers of the environment', () => {
  test('an OpenAI-compatible server answers, with usage', async () => {
    await using server = await startServer((response) => chat(response, ['Hel', 'lo']));
    const env = { ZAI_API_KEY: 'zai-key-1', ZAI_API_BASE: server.url, ZAI_API_TYPE: 'openai' };
    const result = streamText({ model: await resolveModel('zai:glm-4.6', { env }), prompt: 'Hi' });
    expect(await result.text).toBe('Hello');
    expect(await result.usage).toMatchObject({ inputTokens: 5, outputTokens: 7 });
    const [request] = server.seen;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe('Bearer zai-key-1');
    expect(request?.body).toMatchObject({
      model: 'glm-4.6',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test.each<[answer: object, says: string | RegExp]>([
    [{ error: { message: 'The engine is overloaded.' } }, 'The engine is overloaded.'],
    [
      { choices: [] },
      /^http:.* answered with JSON, not with a stream of events\. Use a server or a model that/,
    ],
  ])('a server that answers %j instead of a stream is an error that says why', async (answer, says) => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
    const env = { ZAI_API_KEY: 'zai-key-1', ZAI_API_BASE: server.url, ZAI_API_TYPE: 'openai' };
    const model = await resolveModel('zai:glm-4.6', { env });
    const asked = model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] });
    await expect(asked).rejects.toThrow(says);
  });

  test('a server on this machine needs no key', async () => {
    await using server = await startServer((response) => chat(response, ['Hi']));
    const env = { OLLAMA_API_BASE: server.url, OLLAMA_API_TYPE: 'openai' };
    const model = await resolveModel('ollama:llama3.2:1b', { env });
    expect(await streamText({ model, prompt: 'Hi' }).text).toBe('Hi');
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
    expect(server.seen[0]?.body).toMatchObject({ model: 'llama3.2:1b' });
  });

  test('openai-responses speaks the Responses API', async () => {
    const env = { MY_LAB_API_BASE: 'http://localhost:9/v1', MY_LAB_API_TYPE: 'openai-responses' };
    expect(nameOf(await resolveModel('my-lab:x', { env }))).toBe('my-lab.responses x');
  });

  test.each<[Record<string, string>, string, string]>([
    [
      { ZAI_API_KEY: 'k' },
      'missing_setting',
      'Set ZAI_API_BASE=https://…/v1 and ZAI_API_TYPE=openai as well.',
    ],
    [{ ZAI_API_BASE: 'https://z.example/v1' }, 'missing_setting', 'Set ZAI_API_TYPE=openai as well.'],
    [
      { ZAI_API_KEY: 'k', ZAI_API_TYPE: 'openai' },
      'missing_setting',
      'Set ZAI_API_BASE=https://…/v1 as well.',
    ],
    [
      { ZAI_API_BASE: 'https://z.example/v1', ZAI_API_TYPE: 'openai' },
      'missing_key',
      'No API key for zai. Set ZAI_API_KEY.',
    ],
    [
      { ZAI_API_BASE: 'https://z.example/v1', ZAI_API_TYPE: 'anthropic', ZAI_API_KEY: 'k' },
      'invalid_options',
      'ZAI_API_TYPE is "anthropic". Set it to openai (Chat Completions) or openai-responses (Responses).',
    ],
  ])('%j: the error names what is missing', async (env, code, message) => {
    const error = await refusal('zai:glm', { env });
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test('in a page without settings, the error says how to do without a key', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    vi.stubGlobal('process', { ...process, env: {} });
    const error = await refusal('openai:gpt-4o', { env: undefined });
    expect(error.toJSON()).toEqual({
      code: 'missing_key',
      message:
        'No API key for openai. A page has no key. Run the prompt on a server (viaRoute), call the model through one ' +
        "(models={proxied('/api/models')}), pass the user's own key (models={{ env: { OPENAI_API_KEY: … } }}), or use " +
        'simulated:demo, which needs none.',
      details: { provider: 'openai', variable: 'OPENAI_API_KEY' },
    });
    expect((await refusal('openai:gpt-4o', { env: {} })).message).toContain('Set OPENAI_API_KEY, or');
  });

  test.each([
    ['localhost:11434/v1', 'must begin with http:// or https://, not localhost:'],
    ['api.example.com/v1', 'is not a URL: "api.example.com/v1"'],
    ['ftp://example.com', 'must begin with http:// or https://, not ftp:'],
    ['javascript:alert(1)', 'must begin with http:// or https://, not javascript:'],
    ['https://ada:secret@example.com/v1', 'must not contain a name or password'],
    ['https://example.com/v1?key=secret', 'must not contain ? or #'],
    ['https://example.com/v1/chat/completions', 'must not end in /chat/completions'],
    ['https://', 'is not a URL'],
  ])('base URL %s is refused', async (base, message) => {
    const error = await refusal('zai:glm', {
      env: { ZAI_API_BASE: base, ZAI_API_TYPE: 'openai', ZAI_API_KEY: 'k' },
    });
    expect(error.code).toBe('invalid_base_url');
    expect(error.message).toContain(`ZAI_API_BASE ${message}`);
    expect(error.message).not.toContain('secret');
  });

  test.each(['mistral', 'groq', 'gateway', 'azure'])(
    'a base URL and a type make "%s" a provider of the environment',
    async (name) => {
      await using server = await startServer((response) => chat(response, ['Hi']));
      const prefix = name.toUpperCase();
      const env = {
        AI_GATEWAY_API_KEY: 'of the AI Gateway',
        [`${prefix}_API_KEY`]: 'k',
        [`${prefix}_API_TYPE`]: 'openai',
        [`${prefix}_API_BASE`]: server.url,
      };
      const model = await resolveModel(`${name}:x`, { env });
      expect(nameOf(model)).toBe(`${name}.chat x`);
      expect(await streamText({ model, prompt: 'Hi' }).text).toBe('Hi');
      expect(server.seen[0]?.path).toBe('/v1/chat/completions');
      expect(server.seen[0]?.headers.authorization).toBe('Bearer k');
    },
  );

  test.each([
    ['a base URL alone', { OPENAI_API_BASE: 'https://o.example/v1' }],
    ['a type alone', { OPENAI_API_TYPE: 'openai' }],
    ["another library's type", { OPENAI_API_BASE: 'https://o.example/v1', OPENAI_API_TYPE: 'azure' }],
  ])('%s leaves a built-in provider as it is', async (_case, env) => {
    const model = await resolveModel('openai:x', { env: { OPENAI_API_KEY: 'k', ...env } });
    expect(nameOf(model)).toBe('openai.responses x');
  });
});

describe('providers in code', () => {
  test("may have the AI SDK's shape or be asynchronous functions", async () => {
    const providers = {
      sdk: Object.assign(() => expect.unreachable(), { languageModel: echo('sdk') }),
      later: async (id: string) => echo('later')(id),
    };
    expect(nameOf(await resolveModel('sdk:x', { providers }))).toBe('sdk x');
    expect(nameOf(await resolveModel('later:x', { providers }))).toBe('later x');
  });

  test('an invalid provider, and one that returns no model, are reported', async () => {
    const providers = { odd: {}, empty: () => undefined } as never;
    expect((await refusal('odd:x', { providers })).message).toContain('providers.odd is neither');
    expect((await refusal('empty:x', { providers })).message).toContain(
      'What provider "empty" gave for "x" is not a language model, but undefined.',
    );
  });
});

describe('the environment', () => {
  test("is the process's by default, read at each call", async () => {
    vi.stubEnv('LM_MODEL_CUELINE_TEST', 'simulated:demo');
    expect(nameOf(await resolveModel('cueline-test'))).toBe('simulated demo');
    vi.unstubAllEnvs();
    await expect(resolveModel('cueline-test')).rejects.toThrow('Unknown model alias');
  });

  test('values that are not text are ignored', async () => {
    const env = { OPENAI_API_KEY: true, LM_MODEL_X: { fetch() {} } } as never;
    expect((await refusal('openai:x', { env })).code).toBe('missing_key');
    expect((await refusal('x', { env })).code).toBe('unknown_model');
  });

  test('has keys that are known for redaction', () => {
    const models = createModels({
      env: { OPENAI_API_KEY: ' key-1 ', ZAI_API_KEY: 'key-2', ZAI_API_BASE: 'x', EMPTY_API_KEY: '' },
    });
    expect(models.secrets()).toEqual(['key-1', 'key-2']);
  });
});

test.each([
  [{ provider: {} }, 'createModels has no "provider". Did you mean providers?'],
  [{ OPENAI_API_KEY: 'sk-0' }, 'createModels has no "OPENAI_API_KEY". There are: env, providers,'],
])('createModels refuses %j', (settings, message) => {
  expect(() => createModels(settings as never)).toThrow(message);
});
