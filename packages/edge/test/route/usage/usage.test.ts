import { setTimeout } from 'node:timers/promises';
import { createOpenAI } from '@ai-sdk/openai';
import { definePrompt, type PromptOptions } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  all,
  ask,
  client,
  endless,
  greet,
  looks,
  never,
  post,
  testRoute,
  type TestRoute,
} from '../routes.ts';

const ends = ({ events: told }: TestRoute) =>
  told.flatMap((event) => (event.type === 'run-end' ? event : []));
const calls = ({ events: told }: TestRoute) =>
  told.flatMap((event) => (event.type === 'model-call' ? event : []));
const finish = (inputTokens: number, outputTokens: number, cachedInputTokens = 0) => ({
  finish: { usage: { inputTokens, outputTokens, cachedInputTokens } },
});

test('the report for billing has the usage of each model, including agents', async () => {
  const small = scriptedModel([['Seen.', finish(30, 7)]], { modelId: 'small' });
  const definition = definePrompt('boss', (prompt) => {
    prompt.defAgent('look', 'Looks', z.object({}), (_, own) => own.$`Look.`, { model: small });
    prompt.$`Go.`;
  });
  const hub = testRoute(
    [
      [{ toolCall: { name: 'look', input: {} } }, finish(100, 10)],
      ['Hi.', finish(140, 2, 100)],
    ],
    { definition, prices: { 'simulated:scripted': { input: 10, cachedInput: 1, output: 100 } } },
  );
  await all(client(hub).start({ definition, input: undefined }, never()));
  const none = { reservedTokens: 0, cachedInputTokens: 0 };
  expect(ends(hub)).toMatchObject([
    {
      outcome: 'done',
      tokens: 289,
      usage: [
        { model: 'simulated:scripted', ...none, inputTokens: 240, outputTokens: 12, cachedInputTokens: 100 },
        { model: 'simulated:small', ...none, inputTokens: 30, outputTokens: 7 },
      ],
    },
  ]);
  const { cost, usage } = ends(hub)[0]!;
  // 140 read anew, 100 from the cache, and 12 written
  expect(cost).toBeCloseTo((140 * 10 + 100 * 1 + 12 * 100) / 1e6, 12);
  expect(usage.map((each) => each.cost)).toEqual([cost, undefined]);
  expect(calls(hub).map(({ model, basis }) => `${model} ${basis}`)).toEqual([
    'simulated:scripted reported',
    'simulated:small reported',
    'simulated:scripted reported',
  ]);
});

test('an interrupted step counts with its whole reservation', async () => {
  const hub = testRoute([endless], { limits: { maxOutputTokens: 500 } });
  const response = await hub.route(post({ input: { name: 'Ada' } }));
  await expect.poll(() => hub.model.calls.length).toBe(1);
  await setTimeout(50);
  await hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`));
  await response.text();
  await expect.poll(() => ends(hub)).toHaveLength(1);
  const [{ tokens, usage } = {}] = ends(hub);
  expect(usage).toMatchObject([{ inputTokens: tokens! - 500, outputTokens: 500, reservedTokens: tokens }]);
  expect(tokens).toBeGreaterThan(1_500);
  expect(calls(hub)).toMatchObject([{ basis: 'reserved', outputTokens: 500 }]);
});

const { tools } = createOpenAI({ apiKey: 'sk-test' });

test.each<[string, NonNullable<PromptOptions['tools']>, boolean]>([
  ['a web search', { search: tools.webSearch() }, true],
  ['a shell that runs here', { shell: { ...tools.localShell({ execute: () => ({ output: '' }) }) } }, false],
])('a call with %s that is cut off costs what its model may have read', async (_, tools, readsMore) => {
  const hub = testRoute([endless], { options: { tools }, limits: { contextTokens: 50_000 } });
  const response = await hub.route(post({ input: { name: 'Ada' } }));
  await expect.poll(() => hub.model.calls.length).toBe(1);
  await hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`));
  await response.text();
  const { inputTokens } = calls(hub)[0]!;
  if (readsMore) expect(inputTokens).toBe(50_000);
  else expect(inputTokens).toBeLessThan(5_000);
});

test('a call that its provider refused, or that never reached the provider, costs nothing', async () => {
  const hub = testRoute(
    [
      [{ throw: { message: 'Slow down.', status: 429 } }],
      looks,
      [{ throw: { message: 'Overloaded.', status: 529 } }],
      ['Hi.', finish(20, 2)],
    ],
    { options: { maxRetries: 2 } },
  );
  await all(client(hub).start({ definition: greet, input: { name: 'Ada' } }, never()));
  expect(calls(hub).map(({ basis }) => basis)).toEqual(['free', 'reported', 'free', 'reported']);
  expect(ends(hub)[0]?.usage).toMatchObject([{ reservedTokens: 0 }]);
}, 30_000);

test('a call that failed with a 500 costs its reservation, because the provider may have generated an answer', async () => {
  const hub = testRoute([[{ throw: { message: 'Oops.', status: 500 } }], ['Hi.', finish(20, 2)]], {
    options: { maxRetries: 2 },
  });
  await all(client(hub).start({ definition: greet, input: { name: 'Ada' } }, never()));
  expect(calls(hub).map(({ basis }) => basis)).toEqual(['reserved', 'reported']);
}, 30_000);

test('the page of a gateway after a timeout costs what was reserved, because the model may have answered', async () => {
  const headers = { 'content-type': 'text/html' };
  const fetch = async () => new Response('<html>504</html>', { status: 504, headers });
  const models = { env: { OPENAI_API_KEY: 'sk-test' }, fetch };
  const hub = testRoute([], { model: 'openai:gpt-4o', models, options: { maxRetries: 0 } });
  await all(client(hub).start({ definition: greet, input: { name: 'Ada' } }, never()));
  expect(calls(hub)).toMatchObject([{ basis: 'reserved' }]);
});

test('a call that was answered with a web page costs nothing, as in a proxy', async () => {
  const fetch = async () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
  // a model object has no checks of its own, and its error names the type of the answer
  const own = createOpenAI({ apiKey: 'sk-test', fetch }).chat('gpt-4o');
  for (const model of ['openai:gpt-4o', Object.assign(own, { doStream: own.doGenerate as never })]) {
    const hub = testRoute([], { model, models: { env: { OPENAI_API_KEY: 'sk-test' }, fetch } });
    await all(client(hub).start({ definition: greet, input: { name: 'Ada' } }, never()));
    expect(calls(hub)).toMatchObject([{ basis: 'free' }]);
    expect(ends(hub)).toMatchObject([{ outcome: 'error', tokens: 0 }]);
  }
});

test('a call that was answered with a redirect costs nothing, as in a proxy', async () => {
  const models = {
    env: { OPENAI_API_KEY: 'sk-test' },
    fetch: async () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
  };
  const hub = testRoute([], { model: 'openai:gpt-4o', models });
  await all(client(hub).start({ definition: greet, input: { name: 'Ada' } }, never()));
  expect(calls(hub)).toMatchObject([{ basis: 'free' }]);
  expect(ends(hub)).toMatchObject([{ code: 'redirect_blocked', tokens: 0 }]);
});
