// The scorers of the Evals view: the model as judge, and patterns.
import { defineEval, memoryEvalStore, runEval, type EvalResult, type Scorer } from '@cueline/core/evals';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test, vi } from 'vitest';
import { createScorers } from '../../src/evals/create-scorers.ts';
import { readResults, toSharedResult } from '../../src/evals/eval-settings.ts';
import { planEval } from '../../src/evals/plan-eval.ts';
import { toTable } from '../../src/evals/result-rows.ts';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import { runKey } from '../../src/evals/store.ts';
import { defaultConnection } from '../../src/model/connection.ts';
import { sampleModel } from '../../src/model/sample-model.ts';
import { samplePrompts } from '../../src/prompts/sample-prompts.ts';

const scoreContext = ({ expect = '', runId = 'run' }) =>
  ({
    input: { TEXT: 'Hi' },
    expect,
    output: { text: 'Hello' },
    state: { runId },
    signal: new AbortController().signal,
  }) as unknown as Parameters<Scorer['score']>[0];

test('a run is judged once, and a repeated one again', async () => {
  const grades = new Map();
  const judgeWith = (grade: number, rubric = 'Friendly.') =>
    createScorers(
      [{ kind: 'judge', value: rubric }],
      scriptedModel([`{"reason":"So.","grade":${grade}}`]),
      grades,
    )[0]!;
  expect(await judgeWith(5).score(scoreContext({}))).toMatchObject({ pass: true });
  expect(await judgeWith(1).score(scoreContext({}))).toMatchObject({ pass: true });
  expect(await judgeWith(1).score(scoreContext({ runId: 'repeated' }))).toMatchObject({ pass: false });
  expect(await judgeWith(1).score(scoreContext({ expect: 'Hi' }))).toMatchObject({ pass: false });
  expect(await judgeWith(1, 'Short.').score(scoreContext({}))).toMatchObject({ pass: false });
});

test('the judge of a run is in the figures, also if its grade is known; those of an earlier link say that they lack it', async () => {
  const grades = new Map();
  const usage = { inputTokens: 200, outputTokens: 20 };
  const judgeModel = scriptedModel([[{ text: '{"reason":"So.","grade":5}' }, { finish: { usage } }]]);
  const scorers = createScorers([{ kind: 'judge', value: 'Friendly.' }], judgeModel, grades);
  const plan = planEval({ ...sampleEval, versions: ['1.1.0'] }, samplePrompts, defaultConnection);
  if ('problem' in plan) throw new Error(plan.problem);
  const [{ prompt, cases }] = plan.evals as [(typeof plan.evals)[number]];
  const store = memoryEvalStore();
  const evaluate = () =>
    runEval(defineEval({ prompt, cases: cases.slice(0, 1), scorers }), {
      models: sampleModel('demo', { hurried: true }),
      prices: { [judgeModel.modelId]: { input: 10, output: 20 } },
      store,
    });
  await evaluate();
  const { results } = await evaluate();
  expect(judgeModel.calls).toHaveLength(1);
  const judged = { scorer: 'judge', model: `simulated:${judgeModel.modelId}`, ...usage };
  expect(results[0]!.scorerUsage).toMatchObject([{ ...judged, cost: expect.closeTo(0.0024) }]);

  const linked = JSON.parse(JSON.stringify(results.map(toSharedResult))) as Record<string, unknown>[];
  const columnOf = (read: EvalResult[] = []) => {
    const byKey = new Map(read.map((result) => [runKey(result), result]));
    const shown = { settings: sampleEval, prompts: samplePrompts, shared: true };
    return toTable({ ...shown, runs: read, results: byKey }).columns[0]!;
  };
  expect(columnOf(readResults(linked))).toMatchObject({
    summary: { scoring: { usage, cost: expect.closeTo(0.0024) } },
    lacksJudge: false,
  });
  const [{ scorerUsage: _, ...earlier }] = linked as [Record<string, unknown>];
  const column = columnOf(readResults([earlier]));
  expect(column.lacksJudge).toBe(true);
  expect(column.summary).not.toHaveProperty('scoring');
  for (const scorerUsage of [
    Array.from({ length: 11 }, () => judged),
    [{ ...judged, inputTokens: -1 }],
    [{ scorer: 'judge' }],
  ])
    expect(readResults([{ ...earlier, scorerUsage }])).toBeUndefined();
});

test('JSON with a long number is compared with all its digits, and an expected answer that is not JSON is an error', async () => {
  const [scorer] = createScorers([{ kind: 'jsonEquals', value: '' }], sampleModel('demo'));
  const score = async (text: string, expect: string) =>
    scorer!.score({ ...scoreContext({ expect }), output: { text, toolCalls: [], tasks: [] } });
  expect(await score('{"id":9007199254740993}', '{ "id": 9007199254740993 }')).toBe(true);
  expect(await score('{"id":9007199254740992}', '{ "id": 9007199254740993 }')).toMatchObject({ pass: false });
  await expect(score('{}', '')).rejects.toThrow('the expected answer of this case is not JSON. Correct it.');
});

test('the judge gets no expected answer if a case has none', async () => {
  const model = scriptedModel(['{"reason":"Good.","grade":5}', '{"reason":"Good.","grade":5}']);
  const [scorer] = createScorers([{ kind: 'judge', value: 'Friendly.' }], model);
  const score = (expect: string) => scorer!.score(scoreContext({ expect }));
  expect(await score('')).toMatchObject({ pass: true });
  await score('Hello');
  const [without, withOne] = model.calls.map(({ prompt }) => JSON.stringify(prompt));
  expect(without).not.toContain('EXPECTATION');
  expect(withOne).toContain('EXPECTATION');
});

test('the start of the worker does not count as time of the pattern', async () => {
  class SlowWorker extends EventTarget {
    readonly #started = new Promise((resolve) => setTimeout(resolve, 10_000));
    constructor() {
      super();
      void this.#answer('ready');
    }
    postMessage({ pattern, text }: { pattern: string; text: string }): void {
      void this.#answer(new RegExp(pattern).test(text));
    }
    terminate(): void {}
    async #answer(data: unknown): Promise<void> {
      await this.#started;
      this.dispatchEvent(new MessageEvent('message', { data }));
    }
  }
  vi.useFakeTimers();
  vi.stubGlobal('Worker', SlowWorker);
  try {
    const [scorer] = createScorers([{ kind: 'matches', value: '^y' }], sampleModel('demo'));
    const context = { output: { text: 'yes' }, expect: '' } as Parameters<Scorer['score']>[0];
    const score = Promise.resolve(scorer!.score(context)).catch(String);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await score).toBe(true);
  } finally {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  }
});
