import { CuelineError } from '@cueline/core';
import { expect, test } from 'vitest';
import {
  checkConnection,
  connectionLabel,
  connectionProblem,
  defaultConnection,
  runsWith,
  type ConnectionSettings,
} from '../../src/model/connection.ts';
import { createModel, toModelReference } from '../../src/model/create-model.ts';

const noKeys = { openai: '', compatible: '' };
const openai = (settings: Partial<ConnectionSettings['openai']> = {}): ConnectionSettings => ({
  ...defaultConnection,
  kind: 'openai',
  openai: { ...defaultConnection.openai, ...settings },
});
const compatible = (settings: Partial<ConnectionSettings['compatible']> = {}): ConnectionSettings => ({
  ...defaultConnection,
  kind: 'compatible',
  compatible: { model: 'llama3.2', baseUrl: 'http://localhost:11434/v1', ...settings },
});

test('the demo model needs no settings and is always called simulated', () => {
  expect(connectionProblem(defaultConnection, noKeys)).toBeUndefined();
  expect(connectionLabel(defaultConnection)).toEqual({ name: 'Demo model', detail: 'simulated' });
  expect(toModelReference({ connection: defaultConnection, keys: noKeys })).toEqual({
    ref: 'simulated:demo',
    env: {},
  });
});

test.each([
  ['a missing key', openai(), 'key', 'Paste an OpenAI API key'],
  ['a missing model', openai({ model: ' ' }), 'model', "Type the model's id"],
  ['an invalid address', compatible({ baseUrl: 'localhost' }), 'baseUrl', 'is not a URL'],
  [
    'an address without http',
    compatible({ baseUrl: 'localhost:11434/v1' }),
    'baseUrl',
    'must begin with http:// or https://',
  ],
  [
    'a password in the address',
    compatible({ baseUrl: 'https://me:pw@host.example/v1' }),
    'baseUrl',
    'name or password',
  ],
  [
    'a key in the open',
    compatible({ baseUrl: 'http://models.example/v1' }),
    'baseUrl',
    'only for this machine',
  ],
  ['no address', compatible({ baseUrl: '' }), 'baseUrl', "Type the server's address"],
  [
    'a bad address for OpenAI',
    openai({ baseUrl: 'ftp://x' }),
    'baseUrl',
    'must begin with http:// or https://',
  ],
])('%s is reported at its field', (_name, settings, field, words) => {
  expect(connectionProblem(settings, noKeys)).toEqual({
    field,
    message: expect.stringContaining(words) as string,
  });
  expect(() => checkConnection(settings, noKeys)).toThrow(CuelineError);
});

test('the model that Run will use is named for real models only', () => {
  expect(runsWith(defaultConnection, noKeys)).toBeUndefined();
  expect(runsWith(openai({ model: 'gpt-4o' }), noKeys)).toBeUndefined();
  expect(runsWith(openai({ model: 'gpt-4o' }), { ...noKeys, openai: 'sk-x' })).toBe(
    'Run will use gpt-4o with your key.',
  );
  expect(runsWith(compatible(), noKeys)).toBe('Run will use llama3.2 at localhost:11434.');
});

test('Ollama on this machine needs no key', () => {
  expect(connectionProblem(compatible(), noKeys)).toBeUndefined();
  expect(toModelReference({ connection: compatible(), keys: noKeys })).toEqual({
    ref: 'custom:llama3.2',
    env: { CUSTOM_API_BASE: 'http://localhost:11434/v1', CUSTOM_API_TYPE: 'openai' },
  });
});

test.each([
  ['responses', 'openai.responses'],
  ['chat', 'openai.chat'],
] as const)('OpenAI over %s', async (api, provider) => {
  const connection = openai({ api, model: ' gpt-x ', baseUrl: 'https://proxy.example/v1 ' });
  const keys = { openai: ' sk-test ', compatible: 'other' };
  const { env } = toModelReference({ connection, keys });
  expect(env).toEqual({ OPENAI_API_KEY: 'sk-test', OPENAI_API_BASE: 'https://proxy.example/v1' });
  expect(await createModel({ connection, keys })).toMatchObject({ provider, modelId: 'gpt-x' });
});

test('a model of a compatible server, with and without a key', async () => {
  const remote = compatible({ baseUrl: 'https://models.example/v1', model: 'org/model:tag' });
  expect(await createModel({ connection: remote, keys: noKeys })).toMatchObject({ modelId: 'org/model:tag' });
  expect(toModelReference({ connection: remote, keys: { ...noKeys, compatible: 'k' } }).env).toMatchObject({
    CUSTOM_API_KEY: 'k',
  });
});

test('the demo model plays an example’s scripted answers', async () => {
  const model = await createModel(
    { connection: defaultConnection, keys: noKeys },
    { scriptedAnswers: ['Scripted.'], played: [] },
  );
  expect(model).toMatchObject({ provider: 'simulated', modelId: 'scripted' });
  expect(await createModel({ connection: defaultConnection, keys: noKeys })).toMatchObject({
    modelId: 'demo',
  });
});

test('a model that can be created at once is returned without a promise, and the same settings return the same model', async () => {
  expect(createModel({ connection: defaultConnection, keys: noKeys })).not.toBeInstanceOf(Promise);
  const settings = { connection: compatible(), keys: noKeys };
  const model = await createModel(settings);
  expect(createModel(settings)).toBe(model);
  const others = { ...settings, keys: { ...noKeys, compatible: 'another' } };
  expect(await createModel(others)).not.toBe(model);
});
