import type { ModelPrice, ModelProxyOptions } from '@cueline/edge';
import { expect, test } from 'vitest';
import { ask, chatBody, createMemoryLimits, fixture, parts, sse } from './support.ts';

/**
 * Makes a call of a proxy with this price for every model. Returns the cost that was reserved, and the cost that was
 * charged.
 */
async function costOf(
  price: ModelPrice,
  request: Parameters<typeof ask>[0],
  answer: () => Response,
  limits: ModelProxyOptions['limits'] = {},
): Promise<{ reserved: number; charged: number }> {
  const store = createMemoryLimits();
  let reserved = NaN;
  const { proxy, events } = fixture(answer, {
    prices: { 'gpt-x': price, 'claude-x': price, 'mistral-x': price },
    limits,
    store: {
      ...store,
      reserve(call) {
        reserved = call.cost ?? NaN;
        return store.reserve(call);
      },
    },
  });
  await (await proxy(ask(request))).text();
  const end = events.find(({ type }) => type === 'end');
  return { reserved, charged: (end as { cost: number }).cost };
}

const perToken = 1_000_000;
const chat = { body: chatBody };
const messages = {
  path: '/anthropic/messages',
  body: { model: 'claude-x', stream: true, messages: [{ role: 'user', content: 'x'.repeat(1_000) }] },
};

test.each<[string, Parameters<typeof ask>[0], object]>([
  [
    'chat',
    chat,
    {
      prompt_tokens: 100,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 60 },
    },
  ],
  [
    'responses',
    { path: '/openai/responses', body: { model: 'gpt-x', input: 'Hi' } },
    {
      input_tokens: 100,
      output_tokens: 1,
      input_tokens_details: { cached_tokens: 30, cache_write_tokens: 60 },
    },
  ],
  [
    'messages',
    { ...messages, body: { ...messages.body, stream: false, messages: chatBody.messages } },
    { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 30, cache_creation_input_tokens: 60 },
  ],
])('%s: input that was written into the cache has its own price', async (_, request, usage) => {
  const price = { input: perToken, output: perToken, cachedInput: 0, cacheWrite: 2 * perToken };
  expect((await costOf(price, request, () => Response.json({ usage }))).charged).toBe(10 + 2 * 60 + 1);
  // without one it costs more than other input, as at Anthropic
  const { cacheWrite: _cacheWrite, ...rest } = price;
  expect((await costOf(rest, request, () => Response.json({ usage }))).charged).toBe(10 + 1.25 * 60 + 1);
});

test("mistral: cached input is read under Mistral's name", async () => {
  const request = { path: '/mistral/chat/completions', body: { ...chatBody, model: 'mistral-x' } };
  const usage = { prompt_tokens: 100, completion_tokens: 1, num_cached_tokens: 90 };
  const price = { input: perToken, output: perToken, cachedInput: 0 };
  expect((await costOf(price, request, () => Response.json({ usage }))).charged).toBe(10 + 1);
});

test.each([2 * perToken, 0, undefined])(
  'a call that was cut off costs what was reserved, also if a cache write costs %j',
  async (cacheWrite) => {
    const price = { input: perToken, output: perToken, cachedInput: 0, cacheWrite };
    const { reserved, charged } = await costOf(price, messages, () => new Response(parts([], 'error'), sse));
    expect(reserved).toBeGreaterThan(
      2_000 * (cacheWrite === undefined ? 1.25 : Math.max(1, cacheWrite / perToken)),
    );
    expect(charged).toBe(reserved);
  },
);

test('a call with more input than longContext.above has the prices of longContext, for all of its tokens', async () => {
  const longContext = { above: 100, input: 2 * perToken, output: 3 * perToken };
  const price = { input: perToken, output: perToken, longContext };
  const charged = async (usage: object): Promise<number> =>
    (await costOf(price, chat, () => Response.json({ usage }))).charged;
  expect(await charged({ prompt_tokens: 100, completion_tokens: 10 })).toBe(100 + 10);
  const cached = { prompt_tokens_details: { cached_tokens: 60 } };
  expect(await charged({ prompt_tokens: 101, completion_tokens: 10, ...cached })).toBe(2 * 101 + 3 * 10);
});

test('a call that may have more input than longContext.above reserves the higher price', async () => {
  const refusing = (): Response => new Response(parts([], 'error'), sse);
  const price = { input: perToken, output: perToken };
  const limits = { maxOutputTokens: 10 };
  const plain = await costOf(price, chat, refusing, limits);
  const long = { above: 1_000, input: 2 * perToken, output: 2 * perToken };
  const dear = await costOf({ ...price, longContext: long }, chat, refusing, limits);
  expect(dear).toEqual({ reserved: 2 * plain.reserved, charged: 2 * plain.reserved });
  const longer = { ...long, above: 2_000 };
  expect(await costOf({ ...price, longContext: longer }, chat, refusing, limits)).toEqual(plain);
});
