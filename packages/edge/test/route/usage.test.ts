import { setTimeout } from 'node:timers/promises';
import { definePrompt, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';
import { expect, test } from 'vitest';
import { createTokenCount } from '../../src/route/count-tokens.ts';
import { createUsageCount } from '../../src/route/count-usage.ts';
import { all, ask, client, endless, never, post, testRoute, type TestRoute } from './routes.ts';

const ends = ({ told }: TestRoute) => told.flatMap((event) => (event.type === 'run-end' ? event : []));
const finish = (inputTokens: number, outputTokens: number) => ({
  finish: { usage: { inputTokens, outputTokens } },
});

test('whoever bills is told what each model took, those of agents, too', async () => {
  const small = scriptedModel([['Seen.', finish(30, 7)]], { modelId: 'small' });
  const definition = definePrompt('boss', (prompt) => {
    prompt.defAgent('look', 'Looks', z.object({}), (_, own) => own.$`Look.`, { model: small });
    prompt.$`Go.`;
  });
  const hub = testRoute(
    [
      [{ toolCall: { name: 'look', input: {} } }, finish(100, 10)],
      ['Hi.', finish(140, 2)],
    ],
    {
      definition,
    },
  );
  await all(client(hub).start({ definition, input: undefined }, never()));
  expect(ends(hub)).toMatchObject([
    {
      outcome: 'done',
      tokens: 289,
      usage: [
        { model: 'simulated:scripted', inputTokens: 240, outputTokens: 12 },
        { model: 'simulated:small', inputTokens: 30, outputTokens: 7 },
      ],
    },
  ]);
});

test('a step that was cut off is there with about as much as it took', async () => {
  const hub = testRoute([endless]);
  const response = await hub.route(post({ input: { name: 'Ada' } }));
  await expect.poll(() => hub.model.calls.length).toBe(1);
  await setTimeout(50);
  await hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`));
  await response.text();
  await expect.poll(() => ends(hub)).toHaveLength(1);
  const [{ tokens, usage } = {}] = ends(hub);
  expect(usage).toEqual([{ model: 'simulated:scripted', inputTokens: tokens! - 1, outputTokens: 1 }]);
  expect(tokens).toBeGreaterThan(10);
});

test('a step counts for the model that it asked, with all that was reported or as much as it grew', () => {
  const counted = createTokenCount();
  const used = createUsageCount();
  const add = (event: object) => {
    const before = counted.total();
    counted.add(event as RunEvent);
    used.add(event as RunEvent, counted.total() - before);
  };
  const step = (usage: object, model?: string) => {
    add({ type: 'step-start', step: 1, request: { keep: 0, messages: [], ...(model && { model }) } });
    add({ type: 'text-delta', id: 't', text: 'four' });
    add({ type: 'step-end', step: 1, finishReason: 'stop', usage });
  };
  add({ type: 'run-start', v: 1, runId: 'r', model: 'a:one', messages: [], messageId: 'm' });
  step({ inputTokens: 5, outputTokens: 2, totalTokens: 7 });
  step({ outputTokens: 2, totalTokens: 10 }, 'a:two');
  step({ totalTokens: 3 });
  step({ inputTokens: 900, outputTokens: -5, totalTokens: 4 });
  expect(used.total()).toEqual([
    { model: 'a:one', inputTokens: 5, outputTokens: 2 },
    { model: 'a:two', inputTokens: 8 + 3 + 4, outputTokens: 2 },
  ]);
  // nothing said of it: as it grew, four bytes a token
  const before = counted.total();
  step({ inputTokens: undefined, outputTokens: undefined, totalTokens: undefined }, 'b');
  expect(used.total()[2]).toEqual({ model: 'b', inputTokens: counted.total() - before - 1, outputTokens: 1 });
  // begun again: both were paid for
  add({ type: 'step-start', step: 2, request: { keep: 0, messages: [], model: 'c' } });
  const first = used.total()[3]?.inputTokens ?? 0;
  add({ type: 'step-start', step: 2, request: { keep: 0, messages: [], model: 'c' } });
  expect(used.total()[3]).toEqual({ model: 'c', inputTokens: 2 * first, outputTokens: 0 });
  const sum = used.total().reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0);
  expect(Math.abs(sum - counted.total())).toBeLessThanOrEqual(1);
});
