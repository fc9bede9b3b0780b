import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider';
// Cassettes: answers of models are recorded by request, and replayed without a key and without a network.
import { definePrompt, runPrompt, type PromptOptions } from '@cueline/core';
import { createCassette, scriptedModel, type Cassette, type CassetteData } from '@cueline/core/testing';
import { embedMany } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const key = 'sk-proj-0123456789abcdefghij';

const weather = definePrompt('weather', (prompt, { city }: { city: string }) => {
  prompt.def('CITY', city);
  prompt.defTool('getWeather', 'Returns the weather.', z.object({ city: z.string() }), (input) => ({
    ...input,
    degrees: 21,
  }));
  prompt.$`How warm is it in ${city}?`;
});
const turns = [[{ toolCall: { name: 'getWeather', input: { city: 'Lisbon' } } }], 'It is 21 degrees.'];

/** The content of a cassette after it went to a file and back. */
const saved = (cassette: Cassette): CassetteData => JSON.parse(JSON.stringify(cassette)) as CassetteData;

async function ask(
  model: LanguageModelV4,
  city = 'Lisbon',
): Promise<{ text: string; error: { code: string; message: string } | undefined }> {
  const { run } = await runPrompt(weather, { model, input: { city } });
  const { text, error } = await run.finished;
  return { text, error };
}

async function recordWeather(): Promise<CassetteData> {
  const cassette = createCassette({ mode: 'record' });
  const { text } = await ask(cassette.model(scriptedModel(turns, { provider: 'openai', modelId: 'gpt-4o' })));
  expect(text).toBe('It is 21 degrees.');
  expect(cassette.changed).toBe(true);
  return saved(cassette);
}

describe('a replay', () => {
  test('answers each step as recorded, for a named model without a key', async () => {
    const cassette = createCassette({ data: await recordWeather() });
    expect(await ask(cassette.model('openai:gpt-4o'))).toEqual({
      text: 'It is 21 degrees.',
      error: undefined,
    });
    expect(cassette.changed).toBe(false);
  });

  test('ends the run for a request without a recording, with the nearest request and the difference', async () => {
    const cassette = createCassette({ data: await recordWeather() });
    const { error } = await ask(cassette.model('openai:gpt-4o'), 'Porto');
    expect(error?.code).toBe('not_recorded');
    expect(error?.message).toContain('The cassette has no answer of openai:gpt-4o to this request.');
    expect(error?.message).toMatch(/prompt\[\d\]\.content.*: recorded "?.*Lisbon.*, requested .*Porto/);
    expect(error?.message).toContain(
      "Re-record it: cueline eval --record, or createCassette({ mode: 'record' })",
    );
  });

  test('names another model or an empty cassette in the error', async () => {
    const data = await recordWeather();
    const { error } = await ask(createCassette({ data }).model('openai:gpt-5'));
    expect(error?.message).toContain('It has recordings of openai:gpt-4o.');
    const none = await ask(createCassette().model('openai:gpt-4o'));
    expect(none.error).toMatchObject({
      code: 'not_recorded',
      message: expect.stringContaining('It is empty.'),
    });
  });

  test('returns the answers of a repeated request in their order', async () => {
    const recorder = createCassette({ mode: 'record' });
    const model = recorder.model(scriptedModel(['Heads.', 'Tails.'], { provider: 'p', modelId: 'm' }));
    expect([(await ask(model)).text, (await ask(model)).text]).toEqual(['Heads.', 'Tails.']);
    const data = saved(recorder);
    expect(data.recordings.map(({ answers }) => answers.length)).toEqual([2]);
    const replay = createCassette({ data }).model('p:m');
    const texts = [await ask(replay), await ask(replay), await ask(replay)].map(({ text }) => text);
    expect(texts).toEqual(['Heads.', 'Tails.', 'Heads.']);
  });
});

describe('a recording', () => {
  test('has no key and no header, whatever a request or an answer contains', async () => {
    const recorder = createCassette({
      mode: 'record',
      models: { env: { OPENAI_API_KEY: 'plain-secret-of-the-app' } },
    });
    const model = recorder.model(
      scriptedModel([`The key is ${key}, and plain-secret-of-the-app.`], { provider: 'p', modelId: 'm' }),
    );
    const { run } = await runPrompt(weather, {
      model,
      input: { city: `Lisbon ${key}` },
      options: { headers: { authorization: `Bearer ${key}` } },
    });
    await run.finished;
    const text = JSON.stringify(recorder);
    expect(text).not.toContain(key);
    expect(text).not.toContain('plain-secret');
    expect(text).not.toMatch(/authorization|headers/i);
    // the same request, with the key in it, finds its recording
    const replay = createCassette({ data: saved(recorder) }).model('p:m');
    expect((await ask(replay, `Lisbon ${key}`)).text).toBe('The key is [redacted], and [redacted].');
  });

  const literal = 'wJal/K7MD+x9"z';
  test.each([
    `The key is ${key}.`,
    `It is ${literal}.`,
    `https://api.example/?t=${encodeURIComponent(literal)}`,
    `https://api.example/?t=${encodeURIComponent(literal).replaceAll('%2F', '%2f')}`,
    JSON.stringify({ secret: literal }),
    JSON.stringify({ secret: literal }).replaceAll('/', '\\/'),
    JSON.stringify({ body: JSON.stringify({ 'x-api-key': 'abcd1234efgh5678' }) }),
    JSON.stringify(JSON.stringify({ body: JSON.stringify({ apiKey: 'abcd1234/efgh5678' }) })),
    '{"apiKey":"abcd1234\\/efgh5678"}',
    'authorization=Bearer%20abcd1234efgh5678&city=Oslo',
    'https://api.example/?u=%3Fapi_key%3Dabcd1234efgh5678%26city%3DOslo',
    encodeURIComponent('{"x-api-key":"abcd1234efgh5678","city":"Oslo"}'),
  ])('has no key of %s, in whatever pieces a model streams it', async (text) => {
    const env = { OPENAI_API_KEY: literal };
    const recorder = createCassette({ mode: 'record', models: { env } });
    const turns = [
      [
        { reasoning: text, chunkSize: 3 },
        { toolCall: { name: 'getWeather', input: { city: text, [text]: 1 } }, chunkSize: 3 },
      ],
      [{ text, chunkSize: 3 }],
    ];
    const answer = await ask(recorder.model(scriptedModel(turns, { provider: 'p', modelId: 'm' })), text);
    expect(answer.error).toBeUndefined();
    const file = JSON.stringify(recorder);
    const deltas = saved(recorder).recordings.flatMap(({ answers }) =>
      answers.flat().map((part) => (part as { delta?: string }).delta ?? ''),
    );
    for (const all of [file, deltas.join('')]) {
      expect(all).toContain('[redacted]');
      expect(all).not.toMatch(/abcd1234|efgh5678|sk-proj|wJal|K7MD/i);
    }
    if (text.includes('Oslo')) expect(file, 'what follows the key stays').toContain('Oslo');
    const replay = createCassette({ data: saved(recorder), models: { env } }).model('p:m');
    expect((await ask(replay, text)).text).toContain('[redacted]');
  });

  test('keeps the pieces of a text without a key, also where one of them looks like a key', async () => {
    const text = 'These two task-forces of 12 towns';
    const recorder = createCassette({ mode: 'record' });
    const turns = [[{ text, chunkSize: 12 }]];
    await ask(recorder.model(scriptedModel(turns, { provider: 'p', modelId: 'm' })));
    const replay = createCassette({ data: saved(recorder) }).model('p:m');
    expect((await ask(replay)).text).toBe(text);
  });

  test('contains complete answers only', async () => {
    const recorder = createCassette({ mode: 'record' });
    const failing = scriptedModel([[{ error: 'It broke.' }], [{ throw: 'No.' }]], {
      provider: 'p',
      modelId: 'm',
    });
    await ask(recorder.model(failing));
    expect(recorder.changed).toBe(false);
    expect(recorder.toJSON().recordings).toEqual([]);
  });

  test('of an unknown model fails only the call', async () => {
    const model = createCassette({ mode: 'record' }).model('nowhere:small');
    // what the model cannot say before it is called
    expect(await model.supportedUrls).toEqual({});
    await expect(
      model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }),
    ).rejects.toThrow('Unknown provider "nowhere"');
  });

  test('can be extended without repeating recorded requests', async () => {
    const data = await recordWeather();
    const more = scriptedModel([turns[0]!, 'It is 18 degrees.'], { provider: 'openai', modelId: 'gpt-4o' });
    const cassette = createCassette({ data, mode: 'extend' });
    expect((await ask(cassette.model(more))).text).toBe('It is 21 degrees.');
    expect(more.calls).toHaveLength(0);
    expect((await ask(cassette.model(more), 'Porto')).text).toBe('It is 18 degrees.');
    expect(more.calls).toHaveLength(2);
    expect(saved(cassette).recordings).toHaveLength(4);
  });

  test('keeps bytes and dates of a stream', async () => {
    const date = new Date('2026-01-02T03:04:05Z');
    const base = scriptedModel(['Hi.']);
    const model: LanguageModelV4 = {
      ...base,
      async doStream(options) {
        const { stream } = await scriptedModel(['Hi.']).doStream(options);
        const before = new TransformStream({
          start(controller) {
            controller.enqueue({ type: 'response-metadata', id: 'r', timestamp: date });
            controller.enqueue({ type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 255]) });
          },
        });
        return { stream: stream.pipeThrough(before) };
      },
    };
    const call = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }] };
    const partsOf = async (from: LanguageModelV4): Promise<unknown[]> => {
      const parts: unknown[] = [];
      const { stream } = await from.doStream(call);
      for await (const part of stream) parts.push(part);
      return parts;
    };
    const recorder = createCassette({ mode: 'record' });
    const parts = await partsOf(recorder.model(model));
    expect(parts).toContainEqual({ type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 255]) });
    const replay = createCassette({ data: saved(recorder) });
    expect(await partsOf(replay.model('simulated:scripted'))).toEqual(parts);
  });
});

describe('the URLs that a model takes as they are', () => {
  /** Asks about two files: the model takes only the one at `files.example` by its URL. */
  const look = definePrompt('look', (prompt) => {
    prompt.$`Compare ${new URL('https://files.example/a.png')} with ${new URL('https://other.example/b.png')}.`;
  });
  const askOf = async (model: LanguageModelV4) => {
    const download: NonNullable<PromptOptions['experimental_download']> = (files) =>
      Promise.resolve(
        files.map(({ isUrlSupportedByModel }) =>
          isUrlSupportedByModel ? null : { data: new Uint8Array([1, 2, 3]), mediaType: 'image/png' },
        ),
      );
    const options = { experimental_download: download };
    const { run } = await runPrompt(look, { model, options });
    const { text, error } = await run.finished;
    return error?.message ?? text;
  };

  test('are those of the recorded model in a replay', async () => {
    const real = {
      ...scriptedModel(['Alike.'], { provider: 'p', modelId: 'm' }),
      supportedUrls: { 'image/*': [/^https:\/\/FILES\.example\//i] },
    };
    const recorder = createCassette({ mode: 'record' });
    expect(await askOf(recorder.model(real))).toBe('Alike.');
    const data = saved(recorder);
    expect(data.supportedUrls).toEqual({
      'p:m': { 'image/*': [{ source: '^https:\\/\\/FILES\\.example\\/', flags: 'i' }] },
    });
    const replay = createCassette({ data });
    expect(await askOf(replay.model('p:m'))).toBe('Alike.');
    expect(saved(replay)).toEqual(data);
  });

  test('are all in a replay of a cassette that does not have them', async () => {
    const replay = createCassette({ data: await recordWeather() }).model('p:m');
    expect(await replay.supportedUrls).toEqual({ '*/*': [/^https?:/] });
  });
});

test('includes embeddings', async () => {
  const real: EmbeddingModelV4 = {
    specificationVersion: 'v4',
    provider: 'p',
    modelId: 'e',
    maxEmbeddingsPerCall: 10,
    supportsParallelCalls: true,
    doEmbed: ({ values }) =>
      Promise.resolve({ embeddings: values.map((value) => [value.length, 1]), warnings: [] }),
  };
  const recorder = createCassette({ mode: 'record' });
  const values = ['one', 'three'];
  await embedMany({ model: recorder.embeddingModel(real), values });
  const offline: EmbeddingModelV4 = { ...real, doEmbed: () => Promise.reject(new Error('no network')) };
  const replay = createCassette({ data: saved(recorder) });
  const { embeddings } = await embedMany({ model: replay.embeddingModel(offline), values });
  expect(embeddings).toEqual([
    [3, 1],
    [5, 1],
  ]);
  await expect(embedMany({ model: replay.embeddingModel(offline), values: ['two'] })).rejects.toMatchObject({
    code: 'not_recorded',
  });
});

function withUrls(patterns: readonly unknown[]): object {
  return { version: 1, supportedUrls: { 'p:m': { 'image/*': patterns } }, recordings: [] };
}

test.for([
  ['not an object', 'x'],
  ['another version', { version: 2, recordings: [] }],
  [
    'a recording without answers',
    { version: 1, recordings: [{ key: 'a', model: 'm', request: {}, answers: [] }] },
  ],
  ['a pattern that is no regular expression', withUrls([{ source: '(', flags: '' }])],
  ['a pattern with unknown flags', withUrls([{ source: 'a', flags: 'x' }])],
  ['a very long pattern', withUrls([{ source: 'a'.repeat(10_000), flags: '' }])],
  ['very many patterns', withUrls(Array.from({ length: 1_000 }, () => ({ source: 'a', flags: '' })))],
  [
    'a part without a type',
    { version: 1, recordings: [{ key: 'a', model: 'm', request: {}, answers: [[{}]] }] },
  ],
] as const)('is refused if its content is faulty: %s', ([, data]) => {
  expect(() => createCassette({ data })).toThrowError(/The cassette is not readable: .*Record it again\./);
});
