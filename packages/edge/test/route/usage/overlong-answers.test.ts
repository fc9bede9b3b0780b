// Providers that send longer answers than they were asked for.
import { definePrompt } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { generateText } from 'ai';
import { expect, test } from 'vitest';
import { post, testRoute } from '../routes.ts';

/** A text in pieces of 4,000 characters, about 1,000 tokens each. */
const pieces = (count: number): ScriptedTurn =>
  Array.from({ length: count }, () => ({ text: 'word '.repeat(800), delay: 1 }));
const limits = { dailyTokens: 100_000, maxOutputTokens: 1_000 };

test('a run whose provider ignores the maximum length ends, and what came is charged', async () => {
  const hub = testRoute([pieces(500)], { limits });
  const text = await (await hub.route(post({ input: {} }))).text();
  expect(text).toContain("The model's answer is much longer than the 1000 tokens that it may have");
  expect(text).toContain('"details":{"limit":"maxOutputTokens","allowed":1000}');
  expect(text.length).toBeLessThan(100_000);
  await expect
    .poll(() => hub.events)
    .toContainEqual(expect.objectContaining({ type: 'run-end', outcome: 'error', code: 'budget_exceeded' }));
  const call = hub.events.find((event) => event.type === 'model-call');
  expect(call).toMatchObject({ basis: 'reserved' });
  expect(call?.outputTokens).toBeGreaterThanOrEqual(4_000);
  expect(call?.outputTokens).toBeLessThan(10_000);
});

test('an answer of long tokens within the maximum length is not cut off', async () => {
  const hub = testRoute([pieces(4)], { limits });
  expect(await (await hub.route(post({ input: {} }))).text()).toContain('"outcome":"done"');
});

test('a short answer is not judged by its length, even if it may have one token only', async () => {
  const hub = testRoute(['Internationalization and localization.'], {
    limits: { ...limits, maxOutputTokens: 1 },
  });
  expect(await (await hub.route(post({ input: {} }))).text()).toContain('"outcome":"done"');
});

test('what the provider found is not part of an answer, however long it is', async () => {
  const scripted = scriptedModel(['Tides.', 'The moon.']);
  const model = {
    ...scripted,
    async doGenerate(call: Parameters<typeof scripted.doGenerate>[0]) {
      const answer = await scripted.doGenerate(call);
      const title = 'word '.repeat(20_000);
      const found = {
        type: 'source',
        sourceType: 'url',
        id: 'a',
        url: 'https://example.org',
        title,
      } as const;
      return { ...answer, content: [found, ...answer.content] };
    },
  };
  const definition = definePrompt(
    'searching',
    (prompt) => {
      prompt.defHook(async (step) => {
        const { text } = await generateText({ model: step.model, prompt: 'Search.' });
        return { system: text };
      });
      prompt.$`Explain.`;
    },
    { model },
  );
  const hub = testRoute([], { definition, model: undefined, limits });
  const text = await (await hub.route(post({ prompt: 'searching' }))).text();
  expect(text).toContain('"outcome":"done"');
  expect(scripted.calls).toHaveLength(2);
});
