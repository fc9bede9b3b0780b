import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { definePrompt } from '@cueline/core';
import {
  closeTo,
  contains,
  defineEval,
  improve,
  memoryEvalStore,
  type ImproveOptions,
  type Scorer,
} from '@cueline/core/evals';
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';

const animals = ['cat', 'dog', 'hen', 'fox', 'owl', 'bee', 'ant', 'elk', 'cow', 'pig', 'rat', 'yak'];

/** The answer is right if the system prompt has the rule for this kind of input. */
const rules = { short: 'Name the animal.', loud: 'Write in capital letters.' };

const base: PromptRecord = {
  id: 'animal',
  version: '1.2.0',
  name: 'Animal',
  systemPrompt: 'You are helpful.',
  userPrompt: 'Which one? {TEXT}',
  userPromptParameters: [{ name: 'TEXT', type: 'string' }],
};
const library = createPromptLibrary([base]);
const cases = animals.map((animal, index) => ({
  id: animal,
  input: { TEXT: `a tiny ${animal}` },
  expect: index % 2 === 0 ? animal : animal.toUpperCase(),
}));
const evaluation = defineEval({
  prompt: library.definePrompt('animal'),
  cases,
  scorers: [contains(undefined, { caseSensitive: true })],
});

type Asked = { kind: 'prompt' | 'reflection'; text: string };

/** A model that answers by a function of the request. */
function answering(asked: Asked[], kind: Asked['kind'], answer: (text: string) => string): LanguageModelV4 {
  const model = scriptedModel([]);
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: kind,
    supportedUrls: {},
    doGenerate: (options) => scriptedModel([answer(textOf(options))]).doGenerate(options),
    doStream(options: LanguageModelV4CallOptions) {
      const text = textOf(options);
      asked.push({ kind, text });
      return scriptedModel([answer(text)]).doStream(options);
    },
  };
}

function textOf({ prompt }: LanguageModelV4CallOptions): string {
  return prompt
    .map(({ content }) =>
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    )
    .join('\n');
}

/** Its answers depend on the rules in the system prompt. */
function animalModel(asked: Asked[]): LanguageModelV4 {
  return answering(asked, 'prompt', (text) => {
    const animal = /a tiny (\w+)/.exec(text)![1]!;
    if (!text.includes(rules.short)) return 'I cannot say.';
    return text.includes(rules.loud) ? `${animal} ${animal.toUpperCase()}` : animal;
  });
}

/** It adds the rule that the present texts lack, and sometimes something useless. */
function reflectingModel(
  asked: Asked[],
  propose: (text: string, call: number) => object = proposal,
): LanguageModelV4 {
  let calls = 0;
  return answering(asked, 'reflection', (text) => JSON.stringify(propose(text, calls++)));
}

function proposal(text: string, call: number): object {
  const userPrompt = 'Which one? {TEXT}';
  if (call === 0) return { reason: 'Politer.', systemPrompt: 'You are very helpful.', userPrompt };
  if (call === 1) return { reason: 'No parameter.', systemPrompt: rules.short, userPrompt: 'Which one?' };
  const lines = [rules.short, ...(text.includes(rules.short) ? [rules.loud] : [])];
  return { reason: 'A rule.', systemPrompt: `You are helpful. ${lines.join(' ')}`, userPrompt };
}

function optionsOf(asked: Asked[], more: Partial<ImproveOptions> = {}): ImproveOptions {
  return {
    library,
    model: animalModel(asked),
    reflection: reflectingModel(asked),
    budget: { runs: 100 },
    ...more,
  };
}

describe('improve', () => {
  test('finds the better text within its budget, as a new draft', async () => {
    const asked: Asked[] = [];
    const kept: number[] = [];
    const found = await improve(
      evaluation,
      optionsOf(asked, { onCandidate: ({ train }) => kept.push(train.score) }),
    );
    expect(found.winner).toEqual({
      ...base,
      description: undefined,
      systemPrompt: 'You are helpful. Name the animal. Write in capital letters.',
      version: '1.3.0',
      status: 'draft',
      metadata: { improvedFrom: 'animal@1.2.0' },
      systemPromptParameters: [],
      userPromptParameters: [{ name: 'TEXT', type: 'string', required: true }],
    });
    expect(found.candidates.map(({ train, parent }) => [train.score, parent])).toEqual([
      [0, undefined],
      [expect.closeTo(0.5, 0), 0],
      [1, 1],
    ]);
    expect(kept).toEqual(found.candidates.map(({ train }) => train.score));
    expect(found.candidates[0]!.heldOut).toMatchObject({ score: 0, runs: 6 });
    expect(found.candidates[2]!.heldOut).toMatchObject({ score: 1, runs: 6 });
    const runs = asked.filter(({ kind }) => kind === 'prompt').length;
    expect(found.spent).toMatchObject({ runs, proposals: asked.length - runs });
    expect(runs).toBeLessThanOrEqual(100);
    expect(library.list()).toHaveLength(1);
  });

  test('nothing sees the held-out cases before the end', async () => {
    const asked: Asked[] = [];
    await improve(evaluation, optionsOf(asked));
    const heldOut = asked.slice(-18);
    expect(heldOut.map(({ kind }) => kind)).toEqual(Array.from({ length: 18 }, () => 'prompt'));
    const names = new Set(heldOut.map(({ text }) => /a tiny (\w+)/.exec(text)![1]!));
    expect(names.size).toBe(6);
    for (const { text } of asked.slice(0, -18)) {
      for (const name of names) expect(text).not.toContain(`tiny ${name}`);
    }
  });

  test('the front has the candidates with the best score and the fewest tokens', async () => {
    const found = await improve(evaluation, optionsOf([]));
    expect(found.front[0]!.train.score).toBe(1);
    const tokens = found.front.map(({ train }) => train.tokens);
    expect(tokens).toEqual(tokens.toSorted((one, other) => other - one));
    expect(found.front.at(-1)).toEqual(found.candidates[0]);
  });

  test('the same seed gives the same result, and another seed splits the cases differently', async () => {
    const requestsOf = async (seed: number): Promise<string[]> => {
      const asked: Asked[] = [];
      await improve(evaluation, optionsOf(asked, { seed, concurrency: 1 }));
      return asked.map(({ text }) => text);
    };
    const first = await requestsOf(7);
    expect(await requestsOf(7)).toEqual(first);
    expect(await requestsOf(8)).not.toEqual(first);
  });

  test('a text that only fits the training cases does not win', async () => {
    const asked: Asked[] = [];
    // it learns the answers by heart
    const reflection = reflectingModel(asked, (text) => ({
      reason: 'By heart.',
      systemPrompt: `Answers: ${[...text.matchAll(/a tiny (\w+)/g)].map(([, name]) => name).join(' ')}`,
      userPrompt: 'Which one? {TEXT}',
    }));
    const model = answering(asked, 'prompt', (text) => {
      const animal = /a tiny (\w+)/.exec(text)![1]!;
      return new RegExp(`Answers:.* ${animal}`).test(text)
        ? `${animal} ${animal.toUpperCase()}`
        : 'I cannot say.';
    });
    const found = await improve(evaluation, optionsOf(asked, { reflection, model }));
    expect(found.candidates.length).toBeGreaterThan(1);
    expect(found.winner).toBeUndefined();
  });

  test('a model that proposes nothing usable ends the search, and nothing wins', async () => {
    const asked: Asked[] = [];
    const reflection = reflectingModel(asked, () => ({ reason: '', systemPrompt: '', userPrompt: '' }));
    const found = await improve(evaluation, optionsOf(asked, { reflection }));
    expect(found).toMatchObject({ spent: { runs: 6, proposals: 5 } });
    expect(found.winner).toBeUndefined();
  });

  describe('`spent` has the tokens and the cost', () => {
    // runs cost a dollar for a million tokens of either kind, proposals ten
    const prices = { prompt: { input: 1, output: 1 }, reflection: { input: 10, output: 10 } };
    /** A model whose calls use these tokens. */
    const using = (modelId: string, inputTokens: number, outputTokens: number): LanguageModelV4 => {
      const answer = modelId === 'prompt' ? 'I cannot say.' : JSON.stringify(proposal('', 1));
      const turn: ScriptedTurn = [{ text: answer }, { finish: { usage: { inputTokens, outputTokens } } }];
      return {
        ...scriptedModel([], { modelId }),
        doStream: (options) => scriptedModel([turn], { modelId }).doStream(options),
      };
    };
    const models = { model: using('prompt', 100, 20), reflection: using('reflection', 1_000, 500) };

    test('of the runs and the proposals', async () => {
      const { spent } = await improve(evaluation, optionsOf([], { ...models, prices }));
      expect(spent).toEqual({
        runs: 6,
        proposals: 5,
        usage: { inputTokens: 6 * 100 + 5 * 1_000, outputTokens: 6 * 20 + 5 * 500 },
        cost: expect.closeTo((6 * 120 * 1 + 5 * 1_500 * 10) / 1_000_000, 9),
      });
    });

    test('of the scorers', async () => {
      const judging: Scorer = {
        name: 'judging',
        score({ onUsage }) {
          onUsage?.({ model: 'prompt', inputTokens: 7, outputTokens: 3 });
          return 0;
        },
      };
      const judged = defineEval({ prompt: evaluation.prompt, cases, scorers: [judging] });
      const { spent } = await improve(judged, optionsOf([], models));
      expect(spent.usage).toEqual({ inputTokens: 6 * 107 + 5_000, outputTokens: 6 * 23 + 2_500 });
      expect(spent).not.toHaveProperty('cost');
    });

    test('without runs from the store', async () => {
      const store = memoryEvalStore();
      await improve(evaluation, optionsOf([], { ...models, store }));
      const { spent } = await improve(evaluation, optionsOf([], { ...models, store }));
      expect(spent).toMatchObject({ runs: 6, usage: { inputTokens: 5_000, outputTokens: 2_500 } });
    });
  });

  test('a reflecting model that fails is an error', async () => {
    const reflection = scriptedModel([[{ throw: { message: 'no credit left', status: 402 } }]]);
    await expect(improve(evaluation, optionsOf([], { reflection }))).rejects.toThrow('no credit left');
  });

  test('an aborted search rejects', async () => {
    const controller = new AbortController();
    const stopped = improve(
      evaluation,
      optionsOf([], { signal: controller.signal, onCandidate: () => controller.abort() }),
    );
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  });

  test.each([
    [
      'a small budget',
      evaluation,
      { budget: { runs: 10 } },
      '"budget.runs" is 10. This eval needs at least 30',
    ],
    ['no budget', evaluation, { budget: undefined as never }, '"budget.runs" is undefined'],
    ['no proposals', evaluation, { budget: { runs: 100, proposals: 0 } }, '"budget.proposals" is 0'],
    ['every case held out', evaluation, { heldOut: 1 }, '"heldOut" is 1. Write a number between 0 and 1'],
    ['an unknown option', evaluation, { budgets: 1 }, 'budgets'],
    ['a wrong price', evaluation, { prices: { prompt: 2 } }, 'prices["prompt"] is not a price'],
    ['no eval', undefined, {}, 'improve takes what defineEval returns, but got undefined'],
    ['no library', evaluation, { library: undefined }, '"library" is missing'],
    ['no reflecting model', evaluation, { reflection: undefined }, '"reflection" is missing'],
    [
      'one case',
      defineEval({ prompt: library.definePrompt('animal'), cases: cases.slice(0, 1), scorers: [closeTo()] }),
      {},
      'has 1 case, which cannot be split',
    ],
    [
      'a prompt in code',
      defineEval({ prompt: definePrompt('code', (prompt) => prompt.$`Hi`), cases: [{ input: undefined }] }),
      {},
      'has a prompt that is written in code',
    ],
  ])('%s is refused before a model is asked', async (_, definition, more, message) => {
    const asked: Asked[] = [];
    await expect(
      improve(definition as typeof evaluation, optionsOf(asked, more as Partial<ImproveOptions>)),
    ).rejects.toThrow(message);
    expect(asked).toEqual([]);
  });
});
