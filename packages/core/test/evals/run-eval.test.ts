// Running an eval: what the report says of each run, and which runs are made.
import { definePrompt, type RunEvent } from '@cueline/core';
import {
  closeTo,
  contains,
  defineEval,
  equals,
  judge,
  memoryEvalStore,
  runEval,
  triad,
  type EvalDefinition,
  type EvalReport,
  type EvalStore,
  type Scorer,
} from '@cueline/core/evals';
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

/** A model that answers from the last user message; it counts its calls. */
function modelOf(
  answer: (text: string, call: number) => ScriptedTurn | Promise<ScriptedTurn>,
  modelId = 'm',
): LanguageModelV4 & { readonly calls: number } {
  let calls = 0;
  const base = scriptedModel([], { modelId });
  return {
    ...base,
    get calls() {
      return calls;
    },
    async doStream(options) {
      const call = calls++;
      const last = options.prompt.findLast(({ role }) => role === 'user');
      const text = ((last?.content ?? []) as { text: string }[]).map(({ text }) => text).join('');
      return scriptedModel([await answer(text, call)], { modelId }).doStream(options);
    },
  };
}

const classify = definePrompt(
  'classify',
  (prompt, { TEXT }: { TEXT: string }) => {
    prompt.$`Given some text, classify it as POSITIVE or NEGATIVE: ${TEXT}`;
  },
  { input: z.object({ TEXT: z.string() }) },
);
const sentiment = modelOf((text) => (/happy|joyful/.test(text) ? 'POSITIVE' : 'NEGATIVE'));
const three = triad({
  base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
  same: { TEXT: 'I am joyful' },
  different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
});

const numbers = (count: number): { input: { TEXT: string }; expect: string }[] =>
  Array.from({ length: count }, (_, index) => ({ input: { TEXT: `number ${index}` }, expect: 'ok' }));
const many = (count: number, repeat = 1): EvalDefinition<{ TEXT: string }> =>
  defineEval({ prompt: classify, cases: numbers(count), repeat });

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
    expect(report.results[0]).toMatchObject({
      input: { TEXT: 'I am happy' },
      expect: 'POSITIVE',
      output: { text: 'POSITIVE' },
    });
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
      ['simulated:small', 'greet@1.0.0', 0, expect.closeTo(0.0012), '1.0.0'],
      ['simulated:large', 'greet@1.0.0', 0, expect.closeTo(0.012), '1.0.0'],
      ['simulated:small', 'greet@2.0.0', 0, expect.closeTo(0.0012), '2.0.0'],
      ['simulated:large', 'greet@2.0.0', 1, expect.closeTo(0.012), '2.0.0'],
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

describe('scheduling', () => {
  test('runs as many cases at a time as `concurrency` allows', async () => {
    let running = 0;
    let most = 0;
    const model = modelOf(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
      return 'ok';
    });
    const seen: string[] = [];
    const report = await runEval(many(30), {
      models: model,
      concurrency: 4,
      onResult: (result, { done, total, passed }) => seen.push(`${done}/${total} ${passed} ${result.status}`),
    });
    expect(report.passed).toBe(true);
    expect(most).toBe(4);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => `${index + 1}/30 ${index + 1} passed`));
    expect(report.results.map(({ caseId }) => caseId)).toEqual(
      numbers(30).map((_, index) => `case-${index + 1}`),
    );
  });

  test('starts no run while a provider asks to wait', async () => {
    const starts: number[] = [];
    let limited = true;
    const model = modelOf(() => {
      starts.push(performance.now());
      if (!limited) return 'ok';
      limited = false;
      return [{ throw: { message: 'Slow down.', status: 429, headers: { 'retry-after-ms': '150' } } }];
    });
    const report = await runEval(many(6), { models: model, concurrency: 1 });
    expect(report.passed).toBe(true);
    const two = await runEval(many(6), { models: model, concurrency: 2 });
    expect(two.passed).toBe(true);
    expect(starts[1]! - starts[0]!).toBeGreaterThan(100);
  });

  /** Aborts after some results; counts the calls of the model. */
  const halves = async (
    store: EvalStore,
  ): Promise<{ first: EvalReport; second: EvalReport; calls: number }> => {
    const model = modelOf(() => 'ok');
    const abort = new AbortController();
    const first = await runEval(many(40, 3), {
      models: model,
      store,
      signal: abort.signal,
      concurrency: 4,
      onResult: (_, { done }) => done === 60 && abort.abort(),
    });
    const second = await runEval(many(40, 3), { models: model, store, concurrency: 4 });
    return { first, second, calls: model.calls };
  };

  test('continues an aborted evaluation without repeating a run', async () => {
    const { first, second, calls } = await halves(memoryEvalStore());
    expect(first).toMatchObject({ aborted: true, passed: false });
    expect(first.results.length).toBeGreaterThanOrEqual(60);
    expect(first.results.length).toBeLessThan(70);
    expect(second).toMatchObject({
      aborted: false,
      passed: true,
      groups: [{ runs: 120, stored: first.results.length }],
    });
    // runs that the abort cut off were started and not stored
    expect(calls).toBeLessThanOrEqual(124);
    expect(calls).toBeGreaterThanOrEqual(120);
  });

  describe('with a store, only changed cases run again', () => {
    const count = async (
      change: (base: EvalDefinition<{ TEXT: string }>) => Parameters<typeof runEval>,
    ): Promise<number> => {
      const store = memoryEvalStore();
      const first = modelOf(() => 'ok');
      await runEval(many(5), { models: first, store });
      expect(first.calls).toBe(5);
      const second = modelOf(() => 'ok');
      const [definition, options] = change(many(5));
      const report = await runEval(definition, { models: second, store, ...options });
      expect(report.groups[0]!.runs - report.groups[0]!.stored).toBe(second.calls);
      return second.calls;
    };
    const other = definePrompt('classify', (prompt, { TEXT }: { TEXT: string }) => {
      prompt.$`Is this ok? ${TEXT}`;
    });

    test.each<[string, number, (base: EvalDefinition<{ TEXT: string }>) => [object, object?]]>([
      ['nothing', 0, (base) => [base]],
      [
        'a scorer',
        0,
        (base) => [defineEval({ prompt: base.prompt, cases: base.cases, scorers: [equals(), closeTo()] })],
      ],
      [
        'the expectation',
        0,
        (base) => [
          defineEval({ prompt: base.prompt, cases: base.cases.map((one) => ({ ...one, expect: 'no' })) }),
        ],
      ],
      [
        'one case',
        1,
        (base) => [
          defineEval({
            prompt: base.prompt,
            cases: base.cases.map((one, index) => (index === 2 ? { ...one, input: { TEXT: 'new' } } : one)),
          }),
        ],
      ],
      [
        'an additional case',
        1,
        (base) => [defineEval({ prompt: base.prompt, cases: [...base.cases, { input: { TEXT: 'new' } }] })],
      ],
      ['the prompt', 5, (base) => [defineEval({ prompt: other, cases: base.cases })]],
      ['the options', 5, (base) => [base, { options: { temperature: 0.5 } }]],
      ['the repetitions', 5, (base) => [base, { repeat: 2 }]],
      ['the model', 5, (base) => [base, { models: modelOf(() => 'ok', 'other') }]],
    ])('%s', async (name, expected, change) => {
      if (name === 'the model') {
        const store = memoryEvalStore();
        await runEval(many(5), { models: modelOf(() => 'ok'), store });
        const model = modelOf(() => 'ok', 'other');
        await runEval(many(5), { models: model, store });
        return expect(model.calls).toBe(expected);
      }
      expect(await count((base) => change(base) as never)).toBe(expected);
    });

    test('a run that failed with an error runs again', async () => {
      const store = memoryEvalStore();
      const failing = modelOf(() => [{ throw: { message: 'No.', status: 400 } }]);
      await runEval(many(2), { models: failing, store });
      await runEval(many(2), { models: failing, store });
      expect(failing.calls).toBe(4);
    });
  });

  test('a report keeps the logs that are asked for', async () => {
    const model = modelOf((text) => (text.includes('0') ? 'no' : 'ok'));
    const kept = async (logs: 'failed' | 'all' | 'none'): Promise<boolean[]> => {
      const { results } = await runEval(many(2), { models: model, logs });
      return results.map(({ log }: { log?: readonly RunEvent[] }) => log !== undefined);
    };
    expect(await kept('failed')).toEqual([true, false]);
    expect(await kept('all')).toEqual([true, true]);
    expect(await kept('none')).toEqual([false, false]);
  });
});
