import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventSplitter, dataOf } from '../../src/proxy/split-events.ts';
import {
  ask,
  chatBody,
  chatStream,
  chatUsage,
  events,
  fixture,
  key,
  type ModelProxyOptions,
  parts,
  sse,
} from './support.ts';

const streaming = { ...chatBody, stream: true };

/** What the caller reads, and how the call was settled. */
async function play(
  upstream: Parameters<typeof fixture>[0],
  options: Partial<ModelProxyOptions> = {},
  request: Parameters<typeof ask>[0] = { body: streaming },
): Promise<{ text: string; outcome: unknown; tokens: unknown; settled: string; reserved: number }> {
  const { proxy, store, events } = fixture(upstream, options);
  const response = await proxy(ask(request));
  const text = await response.text();
  const end = events.at(-1)!;
  if (end.type !== 'end') throw new Error(`not ended: ${JSON.stringify(events)} ${text}`);
  return {
    text,
    outcome: end.outcome,
    tokens: end.tokens,
    settled: store.slice(1).join(),
    reserved: Number(store[0]!.slice('reserve '.length)),
  };
}

function proxyError(text: string): unknown {
  const match = /^event: proxy-error\ndata: (.*)\n\n$/m.exec(text.slice(text.indexOf('event: proxy-error')));
  return (JSON.parse(match?.[1] ?? 'null') as { error: { code: string } } | null)?.error.code;
}

describe('forwarded events', () => {
  test('are unchanged, with headers that forbid caching', async () => {
    const { proxy } = fixture(() =>
      chatStream(['a', 'b'], {
        'x-request-id': 'r1',
        'set-cookie': 'a=b',
        server: 'x',
        'x-ratelimit-limit-tokens': '9',
      }),
    );
    const body = { ...streaming, stream_options: { include_usage: true } };
    const response = await proxy(ask({ body }));
    expect(await response.text()).toBe(await chatStream(['a', 'b']).text());
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': 'https://play.example',
      'access-control-expose-headers': expect.stringContaining('retry-after'),
      'cache-control': 'no-store, no-transform',
      'content-type': 'text/event-stream; charset=utf-8',
      vary: 'origin',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-ratelimit-limit-tokens': '9',
      'x-request-id': 'r1',
    });
  });

  test('do not include usage that only the proxy requested', async () => {
    const { text, settled } = await play(() => chatStream(['a']));
    expect(text).not.toContain('prompt_tokens');
    expect(text).toContain('[DONE]');
    expect(settled).toBe('settle 12');
  });

  test('do not contain the key, and errors contain nothing like a key', async () => {
    const { text } = await play(() =>
      events([
        { choices: [{ delta: { content: `${key} sk-other-key` } }] },
        { error: { message: 'bad sk-other-key' } },
      ]),
    );
    expect(text).toContain('"[redacted] sk-other-key"');
    expect(text).toContain('"bad [redacted]"');
  });

  test.each([
    ['none', 'none of an answer'],
    ['ollama7', 'ollama7 of an answer'],
    ['ollama78', '[redacted] of an answer'],
  ])('are searched for a key such as %s only if it has the length of a key', async (apiKey, told) => {
    const own = { openai: { baseURL: 'http://localhost:11434/v1', apiKey, models: ['gpt-x'] } };
    const said = { choices: [{ delta: { content: `${apiKey} of an answer` } }] };
    const { proxy, sent } = fixture(() => events([said]), { providers: own });
    expect(await (await proxy(ask())).text()).toContain(`"${told}"`);
    expect(sent[0]!.headers['authorization']).toBe(`Bearer ${apiKey}`);
  });

  test('are the same for any chunks', async () => {
    const whole = `: hi\r\n\r\ndata: ${JSON.stringify({ a: 'ä€😀' })}\r\n\r\rdata: x\n\n\ndata: y\r\r\ndata: z`;
    const bytes = new TextEncoder().encode(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: bytes.length - 1 })), async (cuts) => {
        const at = [0, ...new Set(cuts)].toSorted((a, b) => a - b);
        const pieces = at.map((from, index) => bytes.subarray(from, at[index + 1]));
        const body = new ReadableStream({
          start(controller) {
            for (const piece of pieces) controller.enqueue(piece);
            controller.close();
          },
        });
        expect((await play(() => new Response(body, sse))).text).toBe(whole);
      }),
    );
  });

  test('are split after their empty line, for every kind of line end', () => {
    const cut = (text: string): string[] => {
      const splitter = createEventSplitter(1_000);
      const decoder = new TextDecoder();
      const { bytes, ends } = splitter.push(new TextEncoder().encode(text))!;
      const events = ends.map((end, index) => decoder.decode(bytes.subarray(ends[index - 1] ?? 0, end)));
      return [...events, decoder.decode(splitter.rest().bytes)];
    };
    expect(cut('data: a\n\ndata: b\n\n')).toEqual(['data: a\n\n', 'data: b\n\n', '']);
    expect(cut('data: a\r\n\r\ndata: b')).toEqual(['data: a\r\n\r', '\ndata: b']);
    expect(cut('data: a\r\rdata: b')).toEqual(['data: a\r\r', 'data: b']);
    expect(dataOf('event: x\r\ndata: a\rdata:b\ndata\nid: 1\n\n')).toBe('a\nb\n');
    expect(dataOf(': comment\n\n')).toBeUndefined();
  });
});

test('end at the same bytes as with a byte-by-byte search, for any chunks', () => {
  const piece = fc.array(fc.constantFrom('a', '\r', '\n', '\n\n', '\r\n'), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const splitter = createEventSplitter(1_000);
      const found: number[] = [];
      let taken = 0;
      for (const text of pieces) {
        const { bytes, ends } = splitter.push(new TextEncoder().encode(text.join('')))!;
        found.push(...ends.map((end) => taken + end));
        taken += bytes.byteLength;
        expect(ends.at(-1) ?? 0).toBe(bytes.byteLength);
      }
      const whole = pieces.flat().join('');
      expect(taken + splitter.rest().bytes.byteLength).toBe(whole.length);
      const expected: number[] = [];
      let lineIsEmpty = true;
      for (let at = 0; at < whole.length; at += 1) {
        if (whole[at] === '\n' && whole[at - 1] === '\r') continue;
        if (whole[at] === 'a') lineIsEmpty = false;
        else if (lineIsEmpty) expected.push(at + 1);
        else lineIsEmpty = true;
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});

test('stay unchanged next to an event that is parsed', async () => {
  const said = (content: string): string =>
    `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
  const usage = `data: ${JSON.stringify(chatUsage)}\n\n`;
  const whole = `${said('ä')}\n${usage}${said(`has ${key}`)}: \u{1f600}\n\n${said('end')}`;
  const { text } = await play(() => new Response(whole, sse));
  expect(text).toBe(whole.replace(usage, '').replace(key, '[redacted]'));
});

describe('the cost', () => {
  const finished = { type: 'message_delta', usage: { output_tokens: 30 } };
  const started = {
    type: 'message_start',
    message: { usage: { input_tokens: 5, cache_read_input_tokens: 10, output_tokens: 1 } },
  };
  const anthropic = {
    path: '/anthropic/messages',
    body: { model: 'claude-x', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
  };
  const google = {
    path: '/google/models/gemini-x:streamGenerateContent?alt=sse',
    body: { contents: [{ parts: [{ text: 'Hi' }] }] },
  };
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 6, thoughtsTokenCount: 7 };

  test.each<[string, Parameters<typeof ask>[0], unknown[], object]>([
    ['chat', { body: streaming }, [chatUsage], { input: 5, output: 7 }],
    [
      'responses',
      { path: '/openai/responses', body: { model: 'gpt-x', input: 'Hi', stream: true } },
      [{ type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 4 } } }],
      { input: 3, output: 4 },
    ],
    ['messages', anthropic, [started, finished], { input: 15, output: 30 }],
    [
      'generateContent',
      google,
      [{ usageMetadata: { promptTokenCount: 5 } }, { candidates: [{ finishReason: 'STOP' }], usageMetadata }],
      { input: 5, output: 13 },
    ],
    [
      'generateContent, for a prompt that Google refuses',
      google,
      [{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 5 } }],
      { input: 5, output: 0 },
    ],
    [
      'chat, with reasoning that only the total contains',
      { body: streaming },
      [{ choices: [], usage: { prompt_tokens: 307, completion_tokens: 26, total_tokens: 560 } }],
      { input: 307, output: 253 },
    ],
  ])('is read from the stream of %s', async (_, request, data, tokens) => {
    const { text: _text, ...rest } = await play(() => events(data), {}, request);
    expect(rest).toMatchObject({ outcome: 'done', tokens });
  });

  test('is the reservation if usage was not reported, or not at the end', async () => {
    const untold = await play(() => events([{ choices: [] }]));
    expect(untold.settled).toBe(`settle ${untold.reserved}`);
    const cut = await play(() => events([started]), {}, anthropic);
    expect(cut.tokens).toEqual({ input: 15, output: 4_096, cachedInput: 10 });
    const half = await play(() => events([{ usageMetadata }]), {}, google);
    expect(half.tokens).toEqual({ input: 5, output: 4_096, cachedInput: 0 });
  });

  test.each([[-1], [1e308], ['7'], [null], [Number.MAX_SAFE_INTEGER]])(
    'is never the reported value %j',
    async (count) => {
      const usage = { prompt_tokens: count, completion_tokens: count };
      const { settled, reserved } = await play(() => events([{ choices: [], usage }]));
      expect(settled).toBe(`settle ${reserved}`);
    },
  );

  test('is settled once if the caller disconnects, and the call to the provider is aborted', async () => {
    for (const how of ['cancel', 'signal'] as const) {
      let cancelled = false;
      let upstreamSignal: AbortSignal | undefined;
      const { proxy, store, events } = fixture((_, signal) => {
        upstreamSignal = signal;
        return new Response(
          parts(['data: a\n\n'], 'hang', () => (cancelled = true)),
          sse,
        );
      });
      const caller = new AbortController();
      const response = await proxy(ask({ body: streaming, signal: caller.signal }));
      const reader = response.body!.getReader();
      await reader.read();
      if (how === 'cancel') await reader.cancel();
      else {
        const pending = reader.read();
        caller.abort();
        expect(await pending).toEqual({ done: true, value: undefined });
      }
      expect([cancelled, upstreamSignal?.aborted]).toEqual([true, true]);
      expect(store).toHaveLength(2);
      expect(store[1]).toBe(store[0]!.replace('reserve', 'settle'));
      expect(events.at(-1)).toMatchObject({ type: 'end', outcome: 'aborted' });
      caller.abort();
      expect(store).toHaveLength(2);
    }
  });

  test.each<[string, string]>([
    ['Chat Completions', 'data: [DONE]\n\n'],
    ['Anthropic', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
  ])('is done if the caller of %s leaves after the last event', async (_api, last) => {
    let ended = false;
    let upstreamSignal: AbortSignal | undefined;
    const { proxy, events } = fixture((_, signal) => {
      upstreamSignal = signal;
      const body = new ReadableStream<Uint8Array>(
        {
          start: (controller) => controller.enqueue(new TextEncoder().encode(`data: a\n\n${last}`)),
          pull(controller) {
            ended = true;
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, sse);
    });
    const reader = (await proxy(ask({ body: streaming }))).body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(events.at(-1)).toMatchObject({ type: 'end', outcome: 'done' });
    // the connection to the provider can be used again
    expect([ended, upstreamSignal?.aborted]).toEqual([true, false]);
  });

  test('is settled if the caller disconnects before the answer begins', async () => {
    const caller = new AbortController();
    const { proxy, store } = fixture(() => new Promise(() => {}));
    const answer = proxy(ask({ signal: caller.signal }));
    await expect.poll(() => store.length).toBe(1);
    // the call has to be on its way
    await new Promise((resolve) => setTimeout(resolve, 5));
    caller.abort();
    expect((await answer).status).toBe(499);
    expect(store[1]).toBe(store[0]!.replace('reserve', 'settle'));
  });
});

describe('a fault after the headers is sent as one event', () => {
  const small = { responseBytes: 300, eventBytes: 100 };
  const short = { idleMs: 20 };
  test.each<[string, () => Response, Partial<ModelProxyOptions>]>([
    ['idle', () => new Response(parts(['data: a\n\n'], 'hang'), sse), { timeouts: short }],
    ['idle', () => new Response(parts(['data: a\n\n', 'data: half'], 'hang'), sse), { timeouts: short }],
    ['broken', () => new Response(parts(['data: a\n\n', 'data: half'], 'error'), sse), {}],
    [
      'event_too_large',
      () => new Response(parts(['data: a\n\n', `data: ${'x'.repeat(200)}`]), sse),
      { limits: small },
    ],
    [
      'event_too_large',
      () => new Response(parts(['data: a\n\n', `data: ${'x'.repeat(99)}\n\n`]), sse),
      { limits: small },
    ],
    [
      'too_large',
      () => new Response(parts(Array.from({ length: 99 }, () => 'data: a\n\n')), sse),
      { limits: small },
    ],
    ['timeout', () => new Response(parts(['data: a\n\n'], 'hang'), sse), { timeouts: { totalMs: 20 } }],
  ])('%s', async (code, upstream, options) => {
    const { text, outcome, settled, reserved } = await play(upstream, options);
    expect(text.startsWith('data: a\n\n')).toBe(true);
    expect(proxyError(text)).toBe(code);
    // an event that broke off never reached the caller, so the next event is alone
    expect(text).not.toContain('half');
    expect(text.split('event: proxy-error')).toHaveLength(2);
    expect(text).not.toContain(key);
    expect([outcome, settled]).toEqual([code, `settle ${reserved}`]);
  });

  test('a slow caller is not mistaken for a silent provider', async () => {
    const { proxy, events: told } = fixture(() => new Response(parts(['data: a\n\n', 'data: b\n\n']), sse), {
      timeouts: short,
    });
    const reader = (await proxy(ask({ body: streaming }))).body!.getReader();
    for (const next of ['data: a\n\n', 'data: b\n\n', undefined]) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { value } = await reader.read();
      expect(value && new TextDecoder().decode(value)).toBe(next);
    }
    expect(told.at(-1)).toMatchObject({ type: 'end', outcome: 'done' });
  });

  test('comments keep a stream open, but not forever', async () => {
    const beat = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.enqueue(new TextEncoder().encode(': beat\n\n'));
      },
    });
    const { outcome } = await play(() => new Response(beat, sse), { timeouts: { idleMs: 50, totalMs: 120 } });
    expect(outcome).toBe('timeout');
  });

  test('a caller who does not read is disconnected', async () => {
    const { proxy, store } = fixture(() => chatStream(['a']), { timeouts: { totalMs: 20 } });
    const response = await proxy(ask({ body: streaming }));
    await expect.poll(() => store.length).toBe(2);
    expect(proxyError(await response.text())).toBe('timeout');
  });
});

test('the provider is not read ahead of the caller', async () => {
  let pulled = 0;
  const endless = new ReadableStream(
    {
      pull(controller) {
        pulled += 1;
        controller.enqueue(new TextEncoder().encode('data: a\n\n'));
      },
    },
    { highWaterMark: 0 },
  );
  const { proxy } = fixture(() => new Response(endless, sse));
  const reader = (await proxy(ask({ body: streaming }))).body!.getReader();
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(pulled).toBeLessThanOrEqual(2);
  await reader.cancel();
});
