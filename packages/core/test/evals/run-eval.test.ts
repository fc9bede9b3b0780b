// Running an eval: what the report says of each run.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { definePrompt } from '@cueline/core';
import {
  contains,
  defineEval,
  judge,
  runEval,
  triad,
  type EvalPrices,
  type EvalReport,
  type Scorer,
} from '@cueline/core/evals';
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { classify, many, modelOf } from '../support/evals.ts';

const sentiment = modelOf((text) => (/happy|joyful/.test(text) ? 'POSITIVE' : 'NEGATIVE'));
const three = triad({
  base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
  same: { TEXT: 'I am joyful' },
  different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
});

const statuses = ({ results }: EvalReport): string[] =>
  results.map(({ caseId, status }) => `${caseId} ${status}`);

describe('a report', () => {
  test('the triad passes', async () => {
    const report = await runEval(defineEval({ prompt: classify, cases: three }), { models: sentiment });
    expect(report).toMatchObject({
      name: 'classify',
      passed: true,
      aborted: false,
      groups: [
        { model: 'simulated:m', prompt: 'classify', runs: 3, passed: 3, passRate: 1, scores: { equals: 1 } },
      ],
    });
    expect(statuses(report)).toEqual(['base passed', 'same passed', 'different passed']);
    expect(report.results.map(({ input, expect, output }) => [input, expect, output?.text])).toEqual([
      [{ TEXT: 'I am happy' }, 'POSITIVE', 'POSITIVE'],
      [{ TEXT: 'I am joyful' }, 'POSITIVE', 'POSITIVE'],
      [{ TEXT: 'I am sad' }, 'NEGATIVE', 'NEGATIVE'],
    ]);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('the triad fails for a wrong answer, with the reason and the log', async () => {
    const report = await runEval(defineEval({ prompt: classify, cases: three }), {
      models: modelOf(() => 'POSITIVE'),
    });
    expect(statuses(report)).toEqual(['base passed', 'same passed', 'different failed']);
    expect(report.passed).toBe(false);
    expect(report.results[2]?.scores).toEqual([
      { scorer: 'equals', score: 0, pass: false, reason: "expected 'NEGATIVE', got 'POSITIVE'" },
    ]);
    expect(report.results[2]?.log?.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(report.results[0]?.log).toBeUndefined();
  });

  test('repetitions have a pass rate with an interval, and unstable cases are named', async () => {
    const model = modelOf((text, call) => (text.includes('number 0') && call % 2 === 1 ? 'no' : 'ok'));
    const report = await runEval(many(2, 10), { models: model, concurrency: 1 });
    expect(report.groups[0]).toMatchObject({
      runs: 20,
      passed: 15,
      failed: 5,
      passRate: 0.75,
      unstable: ['case-1'],
    });
    expect(report.groups[0]?.interval.low).toBeCloseTo(0.531, 3);
    expect(report.groups[0]?.interval.high).toBeCloseTo(0.888, 3);
    expect(report.results.map(({ repetition }) => repetition)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  test('models and versions of a prompt form a matrix, with tokens and cost', async () => {
    const version = (version: string, text: string): PromptRecord => ({
      id: 'greet',
      version,
      name: 'Greet',
      userPrompt: `${text} {NAME}`,
      userPromptParameters: [{ name: 'NAME', type: 'string' }],
    });
    const library = createPromptLibrary([version('1.0.0', 'Greet'), version('2.0.0', 'Greet politely')]);
    const [first, second] = ['greet@1.0.0', 'greet@2.0.0'].map((reference) =>
      library.definePrompt(reference),
    );
    const usage = { usage: { inputTokens: 1_000, outputTokens: 100 } };
    const report = await runEval(
      defineEval({ prompt: first!, cases: [{ input: { NAME: 'Ada' } }], scorers: [contains('dear')] }),
      {
        prompts: [first!, second!],
        models: [
          modelOf(() => [{ text: 'Hi' }, { finish: usage }], 'small'),
          modelOf(
            (text) => [{ text: text.includes('politely') ? 'Dear Ada' : 'Hi' }, { finish: usage }],
            'large',
          ),
        ],
        prices: { 'simulated:small': { input: 1, output: 2 }, large: { input: 10, output: 20 } },
      },
    );
    expect(
      report.groups.map(({ model, prompt, passRate, cost, version }) => [
        model,
        prompt,
        passRate,
        cost,
        version?.version,
      ]),
    ).toEqual([
      ['simulated:small', 'greet@1.0.0', 0, expect.closeTo(0.0012, 6), '1.0.0'],
      ['simulated:large', 'greet@1.0.0', 0, expect.closeTo(0.012, 6), '1.0.0'],
      ['simulated:small', 'greet@2.0.0', 0, expect.closeTo(0.0012, 6), '2.0.0'],
      ['simulated:large', 'greet@2.0.0', 1, expect.closeTo(0.012, 6), '2.0.0'],
    ]);
    expect(report.groups[0]?.usage).toEqual({ inputTokens: 1_000, outputTokens: 100 });
  });

  test('states how far scorers agree with people', async () => {
    const grades = [5, 5, 1, 1];
    const cases = [true, true, false, true].map((mark, index) => ({ input: { TEXT: `${index}` }, mark }));
    const judging = modelOf((_, call) => JSON.stringify({ reason: 'So.', grade: grades[call] }));
    const report = await runEval(
      defineEval({ prompt: classify, cases, scorers: [judge({ model: judging, rubric: 'Good.' })] }),
      { models: modelOf(() => 'x'), concurrency: 1 },
    );
    expect(report.groups[0]?.agreement).toEqual([{ scorer: 'judge', marked: 4, agreed: 3, kappa: 0.5 }]);
  });

  test('the tokens and the cost of a judge are apart from those of the runs', async () => {
    const grades = ['{"reason":"So.","grade":5}', 'none'];
    const judging = modelOf(
      (_, call) => [{ text: grades[call] ?? 'none' }, { finish: { usage: judged } }],
      'large',
    );
    const judged = { inputTokens: 200, outputTokens: 20, cachedInputTokens: 100, cacheWriteTokens: 40 };
    const used = { usage: { inputTokens: 1_000, outputTokens: 100 } };
    const large = { input: 10, output: 20, cachedInput: 1 };
    const evaluate = (prices: EvalPrices) =>
      runEval(
        defineEval({
          prompt: classify,
          cases: three.slice(0, 1),
          scorers: [contains('o'), judge({ model: judging, rubric: 'Good.' })],
        }),
        { models: modelOf(() => [{ text: 'ok' }, { finish: used }], 'small'), prices },
      );
    const small = { input: 1, output: 2 };
    const { results, groups } = await evaluate({ small, 'simulated:large': large });
    const cost = expect.closeTo(0.0016, 6);
    expect(results[0]).toMatchObject({ status: 'passed', cost: expect.closeTo(0.0012, 6) });
    expect(results[0]?.scorerUsage).toEqual([
      {
        scorer: 'judge',
        model: 'simulated:large',
        inputTokens: 200,
        outputTokens: 20,
        cachedInputTokens: 100,
        cacheWriteTokens: 40,
        cost,
      },
    ]);
    expect(groups[0]?.usage).toEqual({ inputTokens: 1_000, outputTokens: 100 });
    expect(groups[0]?.cost).toBeCloseTo(0.0012, 6);
    expect(groups[0]?.scoring).toEqual({ usage: { inputTokens: 200, outputTokens: 20 }, cost });

    // a judge that gives no grade has its price, too
    const failed = await evaluate({ small });
    expect(failed.results).toMatchObject([{ status: 'error', scores: [{ scorer: 'contains' }] }]);
    const calls = judging.calls - 1;
    expect(failed.groups[0]?.scoring).toEqual({
      usage: { inputTokens: 200 * calls, outputTokens: 20 * calls },
    });
  });

  test('the cost is that of all model calls: those that failed, and those of a model from a hook', async () => {
    const used = { usage: { inputTokens: 1_000, outputTokens: 100 } };
    const failed = [{ finish: { reason: 'error' as const, ...used } }];
    const twice = (text: string, id: string) =>
      modelOf((_, attempt) => (attempt === 0 ? failed : [{ text }, { finish: used }]), id);
    const prices = { small: { input: 1, output: 2 }, large: { input: 10, output: 20 } };
    const definition = defineEval({
      prompt: classify,
      cases: three.slice(0, 1),
      scorers: [judge({ model: twice('{"reason":"So.","grade":5}', 'small'), rubric: 'Good.' })],
    });
    const { results } = await runEval(definition, {
      models: modelOf(() => 'unused', 'small'),
      options: { prepareStep: () => ({ model: twice('ok', 'large') }) },
      prices,
    });
    expect(results).toMatchObject([
      {
        usage: { inputTokens: 2_000, outputTokens: 200 },
        cost: expect.closeTo(0.024, 6),
        scorerUsage: [{ inputTokens: 2_000, outputTokens: 200, cost: expect.closeTo(0.0024, 6) }],
      },
    ]);
    const absurd = { usage: { inputTokens: 1_000, outputTokens: -5 } };
    const other = await runEval(many(1), { models: modelOf(() => [{ finish: absurd }], 'small'), prices });
    expect(other.results).toMatchObject([{ cost: expect.closeTo(0.001, 6) }]);
  });

  test('the cost has the answers of a run whose time was up in a tool', async () => {
    const hang = definePrompt('hang', (prompt) => {
      prompt.defTool('hang', '', z.object({}), () => new Promise(() => {}));
      prompt.$`Hang.`;
    });
    const usage = { inputTokens: 1_000, outputTokens: 100 };
    const model = modelOf(() => [{ toolCall: { name: 'hang' } }, { finish: { usage } }], 'small');
    const definition = defineEval({ prompt: hang, cases: [{ input: undefined, expect: 'x' }] });
    const prices = { small: { input: 1, output: 2 } };
    const { results } = await runEval(definition, { models: model, prices, timeout: 200 });
    expect(results).toMatchObject([{ status: 'error', usage, cost: expect.closeTo(0.0012, 6) }]);
  });

  test('an eval whose scorers call no model has no figures of them', async () => {
    const { groups, results } = await runEval(many(1), { models: modelOf(() => 'ok') });
    expect(results[0]).not.toHaveProperty('scorerUsage');
    expect(groups[0]).not.toHaveProperty('scoring');
  });

  test.each([
    ['failed', [true, false]],
    ['all', [true, true]],
    ['none', [false, false]],
  ] as const)('keeps the logs that are asked for: %s', async (logs, kept) => {
    const model = modelOf((text) => (text.includes('0') ? 'no' : 'ok'));
    const { results } = await runEval(many(2), { models: model, logs });
    expect(results.map(({ log }) => log !== undefined)).toEqual(kept);
  });
});

describe('a run without an answer fails only its own case', () => {
  const approving = definePrompt('approving', (prompt) => {
    prompt.defTool('pay', 'Pays', z.object({}), () => 'paid', { needsApproval: true });
    prompt.$`Pay.`;
  });
  const onPage = definePrompt('on-page', (prompt) => {
    prompt.defTool('pick', 'Picks', z.object({}));
    prompt.$`Pick.`;
  });
  const throwing = definePrompt('throwing', () => {
    throw new Error('no prompt');
  });
  const calling = (name: string): LanguageModelV4 => modelOf(() => [{ toolCall: { name, input: {} } }]);

  test.each([
    [
      'a failed model call',
      classify,
      modelOf(() => [{ throw: { message: 'No.', status: 400 } }]),
      'bad_request',
    ],
    ['a throwing prompt function', throwing, sentiment, 'script_error'],
    ['an approval', approving, calling('pay'), 'invalid_options'],
    ['a client tool', onPage, calling('pick'), 'invalid_options'],
    ['a run that takes too long', classify, modelOf(() => new Promise(() => {})), 'timeout'],
  ])('%s', async (_, prompt, model, code) => {
    const evalOf = defineEval({ prompt: prompt as typeof classify, cases: [{ input: { TEXT: 'x' } }] });
    const report = await runEval(evalOf, { models: model, timeout: 200 });
    expect(report.results).toMatchObject([{ status: 'error', error: { code }, scores: [] }]);
    expect(report.groups[0]).toMatchObject({ runs: 1, errors: 1, passed: 0 });
  });

  test('input that does not fit', async () => {
    const evalOf = defineEval({ prompt: classify, cases: [...three, { input: { TEXT: 7 } as never }] });
    const report = await runEval(evalOf, { models: sentiment });
    expect(statuses(report)).toEqual(['base passed', 'same passed', 'different passed', 'case-4 error']);
    expect(report.results[3]?.error?.code).toBe('invalid_input');
  });

  test.each<[string, Scorer['score'], string]>([
    [
      'throws',
      () => {
        throw new Error('no network');
      },
      'The scorer scorer failed: no network',
    ],
    [
      'returns 7',
      () => 7,
      'The scorer scorer failed: it returned 7. Return true, false, or a number from 0 to 1.',
    ],
    ...(
      [
        ['nothing', undefined, 'undefined. Return true, false, or a number from 0 to 1.'],
        ['a text', 'yes', "'yes'. Return true, false, or a number from 0 to 1."],
        ['no score', { pass: true }, '{ score: undefined }. Return true, false, or a number from 0 to 1.'],
        ['a text as pass', { score: 1, pass: 'no' }, `{ score, pass: 'no' }. Write true or false as "pass".`],
        ['a scorer', contains('x'), 'a scorer. Call it: scorers: [scorer()].'],
      ] as const
    ).map(([what, value, message]): [string, Scorer['score'], string] => [
      `returns ${what}`,
      () => value as never,
      `The scorer scorer failed: it returned ${message}`,
    ]),
    [
      'reports no tokens',
      ({ onUsage }) => {
        onUsage?.({ model: 'm', inputTokens: -1, outputTokens: 0 });
        return true;
      },
      'The scorer scorer failed: it reported invalid usage, {"inputTokens":-1,"model":"m","outputTokens":0}. Report { model: \'openai:gpt-4o\', inputTokens: 120, outputTokens: 30 }.',
    ],
  ])('a scorer that %s', async (_, score, message) => {
    const evalOf = defineEval({
      prompt: classify,
      cases: three.slice(0, 1),
      scorers: [{ name: 'scorer', score }],
    });
    const report = await runEval(evalOf, { models: sentiment });
    expect(report.results).toMatchObject([
      { status: 'error', error: { message }, output: { text: 'POSITIVE' } },
    ]);
  });
});

describe('scorers', () => {
  test('may be functions; a number passes from 0.5 on, and `pass` decides otherwise', async () => {
    const evalOf = defineEval({
      prompt: classify,
      cases: three.slice(0, 1),
      scorers: [
        function short({ output }) {
          return output.text.length < 20;
        },
        () => 0.5,
        () => 0.49,
        () => ({ score: 0.1, pass: true, reason: 'so' }),
      ],
    });
    const { results } = await runEval(evalOf, { models: sentiment });
    expect(results[0]?.scores).toEqual([
      { scorer: 'short', score: 1, pass: true },
      { scorer: 'scorer', score: 0.5, pass: true },
      { scorer: 'scorer 2', score: 0.49, pass: false },
      { scorer: 'scorer 3', score: 0.1, pass: true, reason: 'so' },
    ]);
  });
});

describe('mistakes are refused before anything runs', () => {
  const valid = { prompt: classify, cases: three };
  test.each([
    ['no prompt', { cases: three }, '"prompt" is undefined. Pass what definePrompt'],
    ['nothing', undefined, '"prompt" is undefined.'],
    ['no cases', { ...valid, cases: [] }, 'eval "classify" has no cases.'],
    ['a case that is a text', { ...valid, cases: ['x'] }, `cases[0] of eval "classify" is 'x'.`],
    [
      'a misspelt member of a case',
      { ...valid, cases: [{ input: {}, expected: 1 }] },
      'Did you mean expect?',
    ],
    [
      'an id twice',
      { ...valid, cases: [...three, three[0]] },
      'cases[3] of eval "classify" has the id "base"',
    ],
    ['tags that are a text', { ...valid, cases: [{ input: {}, tags: 'a' }] }, `has the tags 'a'.`],
    ['a mark that is a text', { ...valid, cases: [{ input: {}, mark: 'yes' }] }, `has the mark 'yes'.`],
    ['no scorers', { ...valid, scorers: [] }, 'eval "classify" has no scorers.'],
    ['an invalid scorer', { ...valid, scorers: ['equals'] }, `scorers[0] of eval "classify" is 'equals'.`],
    ['a repeat of 0', { ...valid, repeat: 0 }, '"repeat" of eval "classify" is 0.'],
    ['a threshold of 100', { ...valid, threshold: 100 }, '"threshold" of eval "classify" is 100.'],
    ['an unknown member', { ...valid, treshold: 1 }, 'Did you mean threshold?'],
  ])('in defineEval: %s', (_, settings, message) => {
    expect(() => defineEval(settings as never)).toThrow(message);
  });

  test.each([
    ['no model in the list', { models: [] }, '"models" is empty'],
    ['no prompt in the list', { prompts: [] }, '"prompts" is empty'],
    [
      'too many repetitions',
      { repeat: 1e20 },
      '"repeat" is 100000000000000000000. Write a whole number from 1',
    ],
    ['another prompt', { prompts: ['classify'] }, `"prompts" has 'classify'`],
    ['concurrency 0', { concurrency: 0 }, '"concurrency" is 0'],
    ['a price of one number', { prices: { m: 3 } }, 'prices["m"] is not a price'],
    ['no case left', { only: () => false }, '"only" matches no run'],
    ['an unknown option', { model: 'x' }, 'Did you mean models?'],
  ])('in runEval: %s', async (_, options, message) => {
    const model = modelOf(() => 'x');
    await expect(runEval(defineEval(valid), { models: model, ...options } as never)).rejects.toThrow(message);
    expect(model.calls).toBe(0);
  });
});
