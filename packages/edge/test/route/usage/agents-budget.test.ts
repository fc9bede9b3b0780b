import { definePrompt } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { all, client, never, testRoute } from '../routes.ts';

const boss = definePrompt(
  'boss',
  (prompt, { text, apartMs }) => {
    prompt.defAgent('helper', 'Helps', z.object({ at: z.number() }), async ({ at }, inner) => {
      await new Promise((resolve) => setTimeout(resolve, at * apartMs));
      inner.$`Help with ${at}. ${text}`;
    });
    prompt.$`Call all helpers.`;
  },
  { input: z.object({ text: z.string(), apartMs: z.number() }) },
);

const helpers = (count: number): ScriptedTurn =>
  Array.from({ length: count }, (_, at) => ({ toolCall: { name: 'helper', input: { at } } }));

test('a run with few tokens calls few agents at once, and a run with many tokens as many as allowed', async () => {
  for (const [tokens, asked] of [
    [2_000, 8],
    [200, 1],
    [1_000_000, 31],
  ] as const) {
    const slow: ScriptedTurn = [{ text: 'Done.', delay: 50 }];
    const hub = testRoute([helpers(31), ...Array.from({ length: 31 }, () => slow), 'All done.'], {
      definition: boss,
      limits: { tokens },
    });
    const run = client(hub).start({ definition: boss, input: { text: '', apartMs: 0 } }, never());
    const log = await all(run);
    expect(log.filter(({ type }) => type === 'agent-start')).toHaveLength(asked);
    expect(log.filter(({ type }) => type === 'tool-error')).toHaveLength(31 - asked);
  }
});

test('no further agent starts once the running ones have been sent more than the run may use', async () => {
  const slow: ScriptedTurn = [{ text: 'Done.', delay: 2_000 }];
  const hub = testRoute([helpers(8), ...Array.from({ length: 8 }, () => slow)], {
    definition: boss,
    limits: { tokens: 3_000 },
  });
  const input = { text: 'w'.repeat(4_000), apartMs: 30 };
  const log = await all(client(hub).start({ definition: boss, input }, never()));
  expect(log.at(-1)).toMatchObject({
    outcome: 'error',
    error: {
      code: 'budget_exceeded',
      message:
        'The simultaneous calls of its agents need more than the 3000 tokens that the run may use here.',
      details: { limit: 'tokens', allowed: 3_000 },
    },
  });
  // the step that called them, two that fit, and the one that was too many
  expect(hub.model.calls.length).toBeLessThanOrEqual(4);
});

test('an agent may start beside a step with a long file, which costs less than its length', async () => {
  // what a scripted model reports by itself goes by length
  const cheap = { finish: { usage: { inputTokens: 90, outputTokens: 10 } } };
  const call: ScriptedTurn = [{ toolCall: { name: 'helper', input: { at: 0 } } }, cheap];
  const hub = testRoute([call, ['Helped.', cheap], ['Done.', cheap]], {
    definition: boss,
    limits: { tokens: 10_000 },
  });
  const url = `data:application/pdf;base64,${'A'.repeat(100_000)}`;
  const parts = [{ type: 'file' as const, mediaType: 'application/pdf', url }];
  const messages = [{ id: 'u', role: 'user' as const, parts }];
  const input = { text: '', apartMs: 0 };
  const log = await all(client(hub).start({ definition: boss, input, messages }, never()));
  expect(log.at(-1)).toMatchObject({ outcome: 'done' });
});
