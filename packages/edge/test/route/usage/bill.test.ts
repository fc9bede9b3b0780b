import { setTimeout } from 'node:timers/promises';
import { definePrompt } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryLimits, createMemoryRuns, type PromptRouteOptions } from '@cueline/edge';
import { DefaultChatTransport } from 'ai';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  address,
  all,
  ask,
  client,
  endless,
  looks,
  never,
  page,
  post,
  slowly,
  testRoute,
} from '../routes.ts';
import { billingModel, type BillingModel, type BillingOptions } from './billing-model.ts';

/** A route whose provider bills by itself, and what its runs were charged in the store of limits. */
function billed(
  turns: readonly ScriptedTurn[],
  options: Partial<PromptRouteOptions> & { definition?: never; billing?: BillingOptions } = {},
) {
  const { billing, ...rest } = options;
  const model = billingModel(turns, billing);
  const limitStore = createMemoryLimits();
  const settled: number[] = [];
  const settle: typeof limitStore.settle = (call) => {
    settled.push(call.tokens ?? NaN);
    return limitStore.settle(call);
  };
  const hub = testRoute([], {
    model,
    limitStore: { ...limitStore, settle },
    limits: { dailyTokens: 10_000_000 },
    ...rest,
  });
  return { ...hub, model, settled };
}

async function begin(hub: ReturnType<typeof billed>, body: object = { input: { name: 'Ada' } }) {
  const response = await hub.route(post(body));
  return { response, stop: () => hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`)) };
}

/** Returns the settled charge, and checks that it covers the provider's bill. */
async function chargeOf(hub: { settled: number[]; model: BillingModel }): Promise<number> {
  await expect.poll(() => hub.settled, { timeout: 5_000 }).toHaveLength(1);
  // the provider continues for a moment after the abort
  await setTimeout(20);
  const [charged = 0] = hub.settled;
  expect(hub.model.billed()).toBeGreaterThan(0);
  expect(charged).toBeGreaterThanOrEqual(hub.model.billed());
  return charged;
}

test('a run that is stopped at once is charged for the thinking of its model', async () => {
  const hub = billed([endless], { billing: { hidden: 20_000 }, options: { maxOutputTokens: 25_000 } });
  const { response, stop } = await begin(hub);
  await expect.poll(() => hub.model.calls.length).toBe(1);
  await stop();
  await response.text();
  expect(await chargeOf(hub)).toBeGreaterThan(25_000);
});

test('a run that takes too long is charged for the thinking of its model', async () => {
  const hub = billed([endless], {
    billing: { hidden: 9_000 },
    limits: { dailyTokens: 1_000_000, runMs: 50 },
  });
  await (await begin(hub)).response.text();
  expect(await chargeOf(hub)).toBeGreaterThan(16_384);
});

test("useChat's stop, and a client that disconnects, leave the bill as it is", async () => {
  const hub = billed([endless], { billing: { hidden: 9_000 } });
  const transport = new DefaultChatTransport({
    api: address,
    headers: { authorization: 'Bearer ada', origin: page },
    fetch: (input, init) => hub.route(new Request(input, init)),
  });
  const aborting = new AbortController();
  const stream = await transport.sendMessages({
    chatId: 'c',
    messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: aborting.signal,
  });
  await stream.getReader().read();
  await expect.poll(() => hub.model.calls.length).toBe(1);
  aborting.abort();
  expect(hub.settled).toEqual([]);
  await hub.route(
    new Request(`${address}/c/stream`, { method: 'DELETE', headers: { authorization: 'Bearer ada' } }),
  );
  expect(await chargeOf(hub)).toBeGreaterThan(16_384);
});

test.each([1, 10])('%i pictures count as much as in a proxy if their step is cut off', async (count) => {
  const hub = billed([endless], { limits: { dailyTokens: 1_000_000, maxOutputTokens: 100 } });
  const url = `data:image/png;base64,iVBORw0KGgoAAAAN${'A'.repeat(60_000)}`;
  const parts = Array.from({ length: count }, () => ({ type: 'file', mediaType: 'image/png', url }));
  const { response, stop } = await begin(hub, { input: {}, messages: [{ id: 'u', role: 'user', parts }] });
  await expect.poll(() => hub.model.calls.length).toBe(1);
  await stop();
  await response.text();
  const charged = await chargeOf(hub);
  expect(charged).toBeGreaterThan(12_000 * count);
  expect(charged).toBeLessThan(12_000 * count + 3_000);
});

const bad: [string, unknown][] = [
  ['as texts', { total: '7', noCache: '7', cacheRead: '0', cacheWrite: '0', text: '7', reasoning: '0' }],
  ['below zero', { total: -5 }],
  ['as no number', { total: NaN }],
  ['beyond all reason', { total: 1e308 }],
  ['not at all', undefined],
  ["as zero, as xAI's package does for an answer that was cut off", { total: 0 }],
  ['as a list', [7]],
];

test.each(bad)('usage that is reported %s counts as the reservation', async (_, counts) => {
  const hub = billed(['Hi Ada.'], {
    billing: { hidden: 5_000, report: () => ({ inputTokens: counts, outputTokens: counts }) as never },
  });
  await (await begin(hub)).response.text();
  expect(await chargeOf(hub)).toBeGreaterThan(16_384);
});

test('a report below the measured usage is ignored', async () => {
  const text = 'Something that everybody can read. '.repeat(400);
  const one = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
  const hub = billed([text], {
    billing: { report: () => ({ inputTokens: one, outputTokens: { total: 1, text: 1, reasoning: 0 } }) },
  });
  await (await begin(hub, { input: { name: text } })).response.text();
  await expect.poll(() => hub.settled).toHaveLength(1);
  // as English, four letters a token
  expect(hub.settled[0]).toBeGreaterThanOrEqual((2 * text.length) / 4);
  expect(hub.events).toContainEqual(expect.objectContaining({ type: 'model-call', basis: 'seen' }));
});

test('reasoning that the reported output does not contain is charged, too', async () => {
  const inputTokens = { total: 307, noCache: 307, cacheRead: 0, cacheWrite: 0 };
  // as xAI reports it in Chat Completions
  const hub = billed(['Hi Ada.'], {
    billing: { report: () => ({ inputTokens, outputTokens: { total: 26, text: 0, reasoning: 227 } }) },
  });
  await (await begin(hub)).response.text();
  expect(await chargeOf(hub)).toBe(560);
});

test('reported usage is charged exactly, over several steps', async () => {
  const hub = billed([looks, [{ toolCall: { name: 'look', input: { at: 'Bob' } } }], 'Hi.'], {
    billing: { hidden: 700 },
  });
  await (await begin(hub)).response.text();
  expect(await chargeOf(hub)).toBe(hub.model.billed());
  expect(hub.model.calls).toHaveLength(3);
});

const boss = definePrompt('boss', (prompt) => {
  prompt.defAgent(
    'helper',
    'Helps',
    z.object({ at: z.number() }),
    ({ at }, inner) => inner.$`Help with ${at}.`,
  );
  prompt.$`Call all helpers.`;
});

const helpers = (count: number): ScriptedTurn =>
  Array.from({ length: count }, (_, at) => ({ toolCall: { name: 'helper', input: { at } } }));

test('concurrent agents are charged together when their run is stopped', async () => {
  const hub = billed([helpers(5), endless, endless, endless, endless, endless], {
    definition: boss as never,
    billing: { hidden: 9_000 },
  });
  const { response, stop } = await begin(hub, {});
  await expect.poll(() => hub.model.calls.length).toBe(6);
  await stop();
  await response.text();
  expect(await chargeOf(hub)).toBeGreaterThan(5 * 16_384);
});

test('a retried answer is charged twice', async () => {
  const hub = billed([['Half', { error: new Error('gone') }], 'Whole.'], {
    billing: { hidden: 3_000, report: (bill) => (bill.output > 3_004 ? usage(bill) : (undefined as never)) },
    options: { streamRetries: 1 },
  });
  await (await begin(hub)).response.text();
  // the first as reserved
  expect(await chargeOf(hub)).toBeGreaterThan(16_384 + 3_000);
  expect(hub.model.calls).toHaveLength(2);
});

const usage = ({ input, output }: { input: number; output: number }) => ({
  inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 },
});

test('a run whose instance crashed is charged the reservation', async () => {
  const store = createMemoryRuns();
  // the instance is not heard of any more
  const deaf = { ...store, messages: () => store.messages('run-none', new AbortController().signal) };
  const hub = billed([looks, endless], { store: deaf, billing: { hidden: 9_000 } });
  const { response } = await begin(hub);
  await expect.poll(() => hub.model.calls.length).toBe(2);
  const limitStore = createMemoryLimits();
  const told: { tokens?: number | undefined }[] = [];
  const other = testRoute([], {
    store,
    limitStore: { ...limitStore, settle: async (call) => void told.push(call) },
    limits: { quietMs: 20 },
  });
  const runId = response.headers.get('x-cueline-run')!;
  await all(client(other).attach(runId, -1, never())!);
  await expect.poll(() => told).toEqual([{ subject: 'ada', id: runId }]);
  await hub.route(ask('DELETE', `?run=${runId}`));
  await response.text();
}, 30_000);

test('wherever a run is stopped, its charge is at least its bill', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        hidden: fc.nat(30_000),
        most: fc.option(fc.integer({ min: 1, max: 30_000 }), { nil: undefined }),
        name: fc.string({ unit: 'grapheme', maxLength: 300 }),
        afterMs: fc.nat(40),
        how: fc.constantFrom('stop', 'runMs', 'end'),
      }),
      async ({ hidden, most, name, afterMs, how }) => {
        const hub = billed([looks, slowly('Hello to you and everybody.', 1), 'More.'], {
          billing: { hidden },
          limits: { dailyTokens: 10_000_000, ...(how === 'runMs' ? { runMs: afterMs + 1 } : {}) },
          ...(most === undefined ? {} : { options: { maxOutputTokens: most } }),
        });
        const { response, stop } = await begin(hub, { input: { name } });
        if (how === 'stop') {
          await setTimeout(afterMs);
          await stop();
        }
        await response.text();
        await expect.poll(() => hub.settled, { timeout: 5_000 }).toHaveLength(1);
        expect(hub.settled[0]).toBeGreaterThanOrEqual(hub.model.billed());
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
