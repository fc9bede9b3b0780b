import type { ServerResponse } from 'node:http';
import { createOpenAI } from '@ai-sdk/openai';
import { CuelineError } from '@cueline/core';
import { runAgentSession, type SessionConfig, type SessionResult } from '@cueline/core/agents';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { startServer, type ChatServer } from '../../models/chat-server.ts';

const key = 'sk-test-0123456789abcdef';

/** What the server does with a request: a fault, or an answer with one tool call. */
type Reply = (response: ServerResponse) => void;

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const head = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

/** The first chunk of a call, with the arguments so far. */
const callChunk = (name: string, text = '', id = `call_${name}`): string =>
  chunk({
    role: 'assistant',
    tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: text } }],
  });

const call =
  (name: string, input: object): Reply =>
  (response) => {
    head(response).write(callChunk(name));
    response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(input) } }] }));
    response.end(`${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
  };

const refuse =
  (status: number, message: string, headers: Record<string, string> = {}, more: object = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, type: 'error', code: null, ...more } }));
  };
const reset: Reply = (response) => response.destroy();
const silence: Reply = (response) => head(response).flushHeaders();
const resetInText: Reply = (response) => {
  head(response).write(chunk({ role: 'assistant', content: 'I was about to' }));
  setTimeout(() => response.destroy(), 20);
};
/** Ends well as HTTP, in the middle of a call's arguments. */
const cutInArguments: Reply = (response) => head(response).end(callChunk('write', '{"te', 'call_1'));
/** Complete arguments, and then nothing, so that it is unknown whether more was to come. */
const noFinish: Reply = (response) => head(response).end(callChunk('write', '{"text":"once"}', 'call_1'));
const malformed: Reply = (response) => {
  head(response);
  response.write(chunk({ role: 'assistant', content: 'So' }));
  response.end('data: {"choices": [{]}\n\ndata: [DONE]\n\n');
};
const complete = call('task_complete', { summary: 'It is done.' });

type Played = {
  result: SessionResult;
  server: ChatServer;
  written: string[];
  errors: string[];
  log: string;
};

/** A session against a server that answers with these one after the other, through the real client. */
async function play(replies: readonly Reply[], config: Partial<SessionConfig> = {}): Promise<Played> {
  const left = [...replies];
  const written: string[] = [];
  const errors: string[] = [];
  await using server = await startServer((response) => (left.shift() ?? complete)(response));
  const session = runAgentSession(createOpenAI({ apiKey: key, baseURL: server.url }).chat('m'), {
    systemPrompt: 'You write one line.',
    initialMessage: 'Write it.',
    models: { env: { OPENAI_API_KEY: key } },
    tools: {
      write: {
        description: 'Write a line',
        inputSchema: z.object({ text: z.string() }),
        execute: async ({ text }: { text: string }) => {
          written.push(text);
          return 'written';
        },
      },
    },
    ...config,
    callbacks: {
      onError: (_, { phase, error }) =>
        void errors.push(`${phase}: ${CuelineError.isInstance(error) ? error.code : String(error)}`),
    },
  });
  const result = await session.promise;
  return { result, server, written, errors, log: JSON.stringify(session.run.log()) };
}

describe('a session whose provider fails, with the real client', () => {
  test('a wrong key ends it at once, and no message repeats the key', async () => {
    const { result, server, errors, log } = await play([refuse(401, `Incorrect API key provided: ${key}.`)]);
    expect(result.completionReason).toBe('error');
    expect(result.error?.code).toBe('auth');
    expect(errors).toEqual(['llm: auth']);
    expect(server.seen).toHaveLength(1);
    expect(log).not.toContain(key);
    expect(JSON.stringify(result)).not.toContain(key);
    expect(result.error?.message).not.toContain(key);
  });

  test.each([
    [402, 'Your balance is too low.'],
    [400, 'Your credit balance is too low to access the Anthropic API.'],
  ])('an account without credit (%i) ends it at once: another turn would not help', async (status, says) => {
    const { result, server, errors } = await play([refuse(status, says)]);
    expect(result).toMatchObject({ completionReason: 'error', totalTurns: 1 });
    expect(result.error?.details).toMatchObject({ statusCode: status });
    expect(errors).toEqual(['llm: rate_limited']);
    expect(server.seen).toHaveLength(1);
  });

  test('too many requests: it waits as long as the server asks, and continues', async () => {
    const started = performance.now();
    const { result, server, errors } = await play([
      refuse(429, 'Slow down.', { 'retry-after': '1' }),
      complete,
    ]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 1 });
    expect(errors).toEqual([]);
    expect(server.seen).toHaveLength(2);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  test('a wait beyond 30 seconds ends it at once, with the time to come back', async () => {
    const { result, server, errors } = await play([
      refuse(429, 'Come back later.', { 'retry-after': '120' }),
    ]);
    expect(result.completionReason).toBe('error');
    expect(result.error?.code).toBe('rate_limited');
    expect(Date.parse(String(result.error?.details?.['retryAt'])) - Date.now()).toBeGreaterThan(100_000);
    expect(errors).toEqual(['llm: rate_limited']);
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ['a reset before the answer', [reset, reset, complete]],
    ['an overloaded server', [refuse(529, 'Overloaded.'), refuse(503, 'Busy.'), complete]],
  ])('%s is retried twice, invisibly', async (_, replies) => {
    const { result, server, errors } = await play(replies);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 1 });
    expect(server.seen).toHaveLength(3);
    expect(errors).toEqual([]);
  });

  test('a third reset is an error in the conversation, and the next turn recovers', async () => {
    const { result, server, errors } = await play([reset, reset, reset, complete]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(server.seen).toHaveLength(4);
    expect(errors).toEqual(['llm: network']);
    expect(JSON.stringify(server.seen[3]?.body['messages'])).toMatch(
      /could not be reached|connection|failed/i,
    );
  });

  test('silence is a timeout from which the next turn recovers', async () => {
    const { result, errors } = await play([silence, silence, silence, complete], { llmTimeout: 150 });
    expect(result).toMatchObject({ completionReason: 'task_complete' });
    expect(new Set(errors)).toEqual(new Set(['llm: timeout']));
  });

  test('a reset in the middle of a text is not retried, and the text is not sent again', async () => {
    const { result, server, errors } = await play([resetInText, complete]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(server.seen).toHaveLength(2);
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(server.seen[1]?.body)).not.toContain('I was about to');
    expect(JSON.stringify(result.messages)).not.toContain('I was about to');
  });

  test.each([
    ['a cut in the arguments of a call', cutInArguments],
    ['whole arguments without an end', noFinish],
    ['an event that is no JSON', malformed],
  ])('%s: none of its tools run, and the next turn recovers', async (_, fault) => {
    const { result, written, errors, server } = await play([
      fault,
      call('write', { text: 'once' }),
      complete,
    ]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 3 });
    expect(written).toEqual(['once']);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^llm: /);
    // what is sent next is whole: no call without its result
    const sent = server.seen[1]?.body['messages'] as { role: string; tool_calls?: unknown }[];
    expect(sent.some(({ tool_calls }) => tool_calls !== undefined)).toBe(false);
    expect(sent.at(-1)?.role).toBe('user');
  });

  const overflow = refuse(
    400,
    "This model's maximum context length is 8192 tokens.",
    {},
    { type: 'invalid_request_error', code: 'context_length_exceeded' },
  );

  test('a conversation that is too long ends it at once if nothing makes it shorter', async () => {
    const { result, server, errors } = await play([call('write', { text: 'once' }), overflow]);
    expect(result.completionReason).toBe('error');
    expect(result.error?.code).toBe('context_overflow');
    expect(errors).toEqual(['llm: context_overflow']);
    expect(server.seen).toHaveLength(2);
  });

  test('with a tokenLimit, a conversation that is too long is summarized at once and continues', async () => {
    const summary: Reply = (response) => {
      head(response).write(chunk({ role: 'assistant', content: 'One line was written.' }));
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    };
    const { result, server, errors } = await play(
      [call('write', { text: 'once' }), overflow, summary, complete],
      { tokenLimit: 100_000 },
    );
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 3 });
    expect(errors).toEqual(['llm: context_overflow']);
    expect(server.seen).toHaveLength(4);
    expect(JSON.stringify(server.seen[3]?.body['messages'])).toContain('One line was written.');
  });
});
