import type { CuelineError } from '@cueline/core';
import { resolveModel, toRunError } from '@cueline/core/models';
import { generateText, streamText } from 'ai';
import { describe, expect, test } from 'vitest';

const env = {
  ANTHROPIC_API_KEY: 'key-0123456789',
  GROQ_API_KEY: 'key-0123456789',
  AI_GATEWAY_API_KEY: 'key-0123456789',
};

/** An answer longer than any limit. */
function endless(type: string, piece: string): { response: Response; sent: () => number } {
  const chunk = new TextEncoder().encode(piece);
  let sent = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        sent += chunk.length;
        if (sent > 200 << 20) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body, { headers: { 'content-type': type } }), sent: () => sent };
}

async function failureOf(work: () => PromiseLike<unknown>): Promise<CuelineError> {
  try {
    await work();
  } catch (error) {
    return toRunError(error);
  }
  throw new Error('nothing failed');
}

describe('an answer beyond 128 MiB is cut off', () => {
  test('in JSON', async () => {
    const { response, sent } = endless('application/json', ' '.repeat(1 << 20));
    const model = await resolveModel('groq:llama-x', { env, fetch: async () => response });
    const error = await failureOf(() => generateText({ model, prompt: 'Hi', maxRetries: 0 }));
    expect(error).toMatchObject({ code: 'too_large', message: expect.stringContaining('128 MiB') });
    expect(sent()).toBeLessThan(132 << 20);
  });

  test('in a stream of the AI Gateway, whose request has no field for it', async () => {
    const { response, sent } = endless('text/event-stream', `: ${' '.repeat((1 << 16) - 4)}\n\n`.repeat(16));
    const model = await resolveModel('openai/gpt-x', { env, fetch: async () => response });
    const error = await failureOf(async () => {
      const { stream } = streamText({ model, prompt: 'Hi', maxRetries: 0, onError() {} });
      for await (const part of stream) if (part.type === 'error') throw part.error;
    });
    expect(error).toMatchObject({ code: 'too_large', message: expect.stringContaining('128 MiB') });
    expect(sent()).toBeLessThan(132 << 20);
  });
});

test('a call without a stream is not taken for one because of the input of a tool call', async () => {
  const bodies: string[] = [];
  const model = await resolveModel('anthropic:claude-x', {
    env,
    fetch: async (_input, init) => {
      bodies.push(init?.body as string);
      const usage = { input_tokens: 5, output_tokens: 7 };
      const content = [{ type: 'text', text: 'Hello' }];
      return Response.json({ type: 'message', id: 'm', model: 'm', content, stop_reason: 'end_turn', usage });
    },
  });
  const call = { toolCallId: 'c', toolName: 'play' };
  const { text } = await generateText({
    model,
    maxRetries: 0,
    messages: [
      { role: 'user', content: 'Play it.' },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { stream: true } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'done' } }] },
    ],
  });
  expect(text).toBe('Hello');
  expect(bodies[0]).toContain('"input":{"stream":true}');
});
