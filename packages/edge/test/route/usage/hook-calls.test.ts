import { definePrompt, type PromptDefinition } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryLimits, type PromptRouteEvent } from '@cueline/edge';
import {
  defaultSettingsMiddleware,
  generateText,
  wrapLanguageModel,
  type LanguageModel,
  type LanguageModelMiddleware,
} from 'ai';
import { describe, expect, test } from 'vitest';
import { all, client, never, testRoute, type TestRoute } from '../routes.ts';

type GivenModel = Exclude<LanguageModel, string>;

/** A prompt whose hook calls the model of the step, and tells the step what it answered. */
const hooked = (call: (model: GivenModel) => Promise<string>): PromptDefinition =>
  definePrompt('hooked', (prompt) => {
    prompt.defHook(async ({ model }) => ({ system: await call(model as GivenModel) }));
    prompt.$`Explain.`;
  });
const generate = async (model: GivenModel, abortSignal = never()): Promise<string> => {
  const { text } = await generateText({ model, prompt: 'Name it.', maxRetries: 0, abortSignal });
  return text;
};
/** The same, for a hook that manages without an answer. */
const tryToGenerate = (model: GivenModel, abortSignal?: AbortSignal): Promise<string> =>
  generate(model, abortSignal).catch(() => 'Nothing came.');

const run = ({ definition, ...hub }: TestRoute & { definition: PromptDefinition }) =>
  all(client(hub).start({ definition, input: undefined }, never()));
const reported = <Type extends PromptRouteEvent['type']>(hub: TestRoute, type: Type) =>
  hub.events.filter((event): event is Extract<PromptRouteEvent, { type: Type }> => event.type === type);
const used = (inputTokens: number, outputTokens: number) => ({
  finish: { usage: { inputTokens, outputTokens } },
});

describe('a model call that a hook makes by itself', () => {
  test.each<[string, ScriptedTurn, string, number]>([
    ['has an answer', ['Tides.', used(30, 7)], 'reported', 7],
    ['is refused by the provider', [{ throw: { message: 'Slow down.', status: 429 } }], 'free', 0],
    ['fails in the provider', [{ throw: { message: 'Oops.', status: 500 } }], 'reserved', 16_384],
  ])('counts as a call of the run if it %s', async (_, turn, basis, outputTokens) => {
    const definition = hooked(tryToGenerate);
    const hub = testRoute([turn, ['The moon.', used(100, 2)]], { definition });
    expect((await run({ ...hub, definition })).at(-1)).toMatchObject({ outcome: 'done' });
    const own = { basis: 'reported', inputTokens: 100, outputTokens: 2 };
    const calls = reported(hub, 'model-call');
    expect(calls).toMatchObject([{ basis, outputTokens }, own]);
    const tokens = calls.reduce((sum, call) => sum + call.inputTokens + call.outputTokens, 0);
    expect(reported(hub, 'run-end')).toMatchObject([{ tokens }]);
  });

  test('has an answer of at most the length that the route allows', async () => {
    const definition = hooked(generate);
    const hub = testRoute(['Tides.', 'The moon.'], { definition, limits: { maxOutputTokens: 300 } });
    await run({ ...hub, definition });
    expect(hub.model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([300, 300]);
  });

  test('is not made if the day has no room for it', async () => {
    const definition = hooked(generate);
    const hub = testRoute([['Tides.', used(2_900, 100)], 'The moon.'], {
      definition,
      limits: { dailyTokens: 3_100, maxOutputTokens: 200 },
    });
    expect((await run({ ...hub, definition })).at(-1)).toMatchObject({
      outcome: 'error',
      error: { code: 'budget_exceeded' },
    });
    expect(hub.model.calls).toHaveLength(1);
  });

  test('costs nothing if the hook gives it up before it is sent', async () => {
    const aborting = new AbortController();
    const limitStore = createMemoryLimits();
    const adjust: typeof limitStore.adjust = (call) => {
      aborting.abort(new Error('This takes too long.'));
      return limitStore.adjust(call);
    };
    const definition = hooked((model) => tryToGenerate(model, aborting.signal));
    const hub = testRoute([['The moon.', used(100, 2)]], {
      definition,
      limitStore: { ...limitStore, adjust },
      limits: { dailyTokens: 100_000 },
    });
    await run({ ...hub, definition });
    expect(reported(hub, 'model-call')).toMatchObject([{ basis: 'free' }, { basis: 'reported' }]);
    expect(reported(hub, 'run-end')).toMatchObject([{ tokens: 102 }]);
    expect(hub.model.calls).toHaveLength(1);
  });
});

test.each<[string, (model: GivenModel) => LanguageModel]>([
  ['as it is', (model) => model],
  [
    'with middleware of the AI SDK',
    (model) =>
      wrapLanguageModel({
        model,
        middleware: defaultSettingsMiddleware({ settings: { temperature: 0.5 } }),
      }),
  ],
])('a call counts once if a hook returns the model that it was given %s', async (_, change) => {
  const definition = definePrompt('changed', (prompt) => {
    prompt.defHook(({ model }) => ({ model: change(model as GivenModel) }));
    prompt.$`Explain.`;
  });
  const hub = testRoute([['The moon.', used(100, 2)]], { definition });
  await run({ ...hub, definition });
  expect(reported(hub, 'model-call')).toMatchObject([{ inputTokens: 100, outputTokens: 2 }]);
  expect(reported(hub, 'run-end')).toMatchObject([{ tokens: 102 }]);
});

type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;

test.each<[string, ScriptedTurn, WrapStream, string]>([
  [
    'hedges it',
    ['The sun.', used(100, 2)],
    async ({ doStream }) => {
      const [lost, won] = await Promise.all([doStream(), doStream()]);
      await lost.stream.cancel();
      return won;
    },
    'reserved',
  ],
  [
    'tries it again',
    [{ throw: { message: 'Oops.', status: 500 } }],
    async ({ doStream }) => doStream().then(undefined, () => doStream()),
    'reserved',
  ],
  [
    'tries it again after a refusal',
    [{ throw: { message: 'Slow down.', status: 429 } }],
    async ({ doStream }) => doStream().then(undefined, () => doStream()),
    'free',
  ],
])('each call counts if a hook returns a model that %s', async (_, turn, wrapStream, basis) => {
  const definition = definePrompt('again', (prompt) => {
    prompt.defHook(({ model }) => ({
      model: wrapLanguageModel({ model: model as GivenModel, middleware: { wrapStream } }),
    }));
    prompt.$`Explain.`;
  });
  const hub = testRoute([turn, ['The moon.', used(100, 2)]], { definition });
  expect((await run({ ...hub, definition })).at(-1)).toMatchObject({ outcome: 'done' });
  const calls = reported(hub, 'model-call');
  expect(calls).toMatchObject([{ basis }, { basis: 'reported', inputTokens: 100, outputTokens: 2 }]);
  const tokens = calls.reduce((sum, call) => sum + call.inputTokens + call.outputTokens, 0);
  expect(reported(hub, 'run-end')).toMatchObject([{ tokens }]);
});
