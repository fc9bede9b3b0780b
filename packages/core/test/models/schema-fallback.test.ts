import type { ServerResponse } from 'node:http';
import { createRun, definePrompt, inProcess } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { chat, startServer, type SeenRequest } from './chat-server.ts';

const trip = definePrompt('trip', (prompt) => prompt.$`Plan a trip.`, {
  output: z.object({ city: z.string() }),
});

/** A server that refuses these kinds of `response_format` with this error, and otherwise answers well. */
async function serverWithout(refused: readonly string[], status: number, message: string) {
  return startServer((response: ServerResponse, { body }: SeenRequest) => {
    const format = body['response_format'] as { type: string } | undefined;
    if (format === undefined || !refused.includes(format.type)) return chat(response, ['{"city":"Faro"}']);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
  });
}

async function modelAt(url: string) {
  const env = { LAB_API_BASE: url, LAB_API_TYPE: 'openai', LAB_API_KEY: 'none' };
  return resolveModel('lab:m-1', { env });
}

async function play(model: Awaited<ReturnType<typeof modelAt>>) {
  const run = createRun(trip, { model, executor: inProcess(), options: { topK: 3 } });
  return { result: await run.start(), log: run.log() };
}

/** The form that a request asks for, and whether its messages have the schema. */
function formOf({ body }: SeenRequest): [form: unknown, isInstructed: boolean] {
  const { type } = (body['response_format'] ?? {}) as { type?: string };
  return [type, JSON.stringify(body['messages']).includes('JSON Schema')];
}

describe('a structured answer of an OpenAI-compatible server', () => {
  test('is requested with its schema', async () => {
    await using server = await serverWithout([], 400, '');
    const { result } = await play(await modelAt(server.url));
    expect(result).toEqual({ city: 'Faro' });
    expect(server.seen.map(formOf)).toEqual([['json_schema', false]]);
    expect(server.seen[0]?.body['response_format']).toMatchObject({
      json_schema: { schema: { properties: { city: { type: 'string' } } } },
    });
  });

  test.for([
    ['json_schema', 400, "'response_format.json_schema' is not supported by this model."],
    ['json_schema', 422, 'This response_format type is unavailable now'],
    ['json_schema', 501, 'Structured outputs are not implemented.'],
  ] as const)(
    'a server that refuses %s (%i) reads the schema in the instructions',
    async ([form, status, message]) => {
      await using server = await serverWithout([form], status, message);
      const model = await modelAt(server.url);
      expect((await play(model)).result).toEqual({ city: 'Faro' });
      // the same model object remembers it
      expect((await play(model)).result).toEqual({ city: 'Faro' });
      expect(server.seen.map(formOf)).toEqual([
        ['json_schema', false],
        ['json_object', true],
        ['json_object', true],
      ]);
    },
  );

  test('a server that refuses every form gets the instructions alone', async () => {
    const refused = ['json_schema', 'json_object'];
    await using server = await serverWithout(refused, 400, "'response_format.type' must be 'text'");
    expect((await play(await modelAt(server.url))).result).toEqual({ city: 'Faro' });
    expect(server.seen.map(formOf)).toEqual([
      ['json_schema', false],
      ['json_object', true],
      [undefined, true],
    ]);
  });

  test('any other refusal is the error of the run', async () => {
    await using server = await serverWithout(['json_schema'], 400, 'Bad field.');
    await expect(play(await modelAt(server.url))).rejects.toMatchObject({ code: 'bad_request' });
    expect(server.seen).toHaveLength(1);
  });
});

describe('a structured answer of a built-in provider', () => {
  const groq = (url: string) =>
    resolveModel('groq:llama', { env: { GROQ_API_KEY: 'key', GROQ_API_BASE: url } });

  test('is requested with the schema in the instructions if its model accepts no schema', async () => {
    const message = 'This model does not support response format `json_schema`. See supported models.';
    await using server = await serverWithout(['json_schema'], 400, message);
    expect((await play(await groq(server.url))).result).toEqual({ city: 'Faro' });
    expect(server.seen.map(formOf)).toEqual([
      ['json_schema', false],
      ['json_object', true],
    ]);
  });

  test('fails if it accepts schemas and refuses this one', async () => {
    const message = "invalid_json_schema: Invalid schema for response_format 'response'.";
    await using server = await serverWithout(['json_schema'], 400, message);
    await expect(play(await groq(server.url))).rejects.toMatchObject({ code: 'bad_request' });
    expect(server.seen).toHaveLength(1);
  });
});

describe('a setting that the server does not accept', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('is a warning event, and prints nothing in a page', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await using server = await serverWithout([], 400, '');
    const { log } = await play(await modelAt(server.url));
    const warnings = log.filter(({ type }) => type === 'warning');
    expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining('topK') })]);
    expect([emit.mock.calls, warn.mock.calls]).toEqual([[], []]);
    vi.restoreAllMocks();
  });
});
