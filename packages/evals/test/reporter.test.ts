// What the reporter prints of an eval, and which reports become a baseline.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePrompt } from '@cueline/core';
import { contains, defineEval, judge, runEval, type EvalPrices, type EvalReport } from '@cueline/core/evals';
import { scriptedModel } from '@cueline/core/testing';
import { EvalReporter, type EvalReporterOptions } from '@cueline/evals/reporter';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

type Ended = {
  errors?: readonly { message: string }[];
  reason?: 'passed' | 'interrupted';
  options?: EvalReporterOptions;
};

const { exitCode } = process;
afterEach(() => {
  process.exitCode = exitCode;
});

/** What the reporter prints at the end of an evaluation. */
function printed(report: EvalReport, ended?: Ended): string {
  return printedOf([['greet.eval.ts', report]], ended);
}

/** What it prints at the end of an evaluation of several files. */
function printedOf(
  files: readonly (readonly [file: string, ...reports: EvalReport[]])[],
  { errors = [], reason = 'passed', options = {} }: Ended = {},
): string {
  const lines: string[] = [];
  const logger = { log: (text: string) => lines.push(text) };
  const suiteOf = ({ results, ...report }: EvalReport) => ({
    meta: () => ({ cueline: { kind: 'eval', report } }),
    children: {
      allTests: () => results.map((result) => ({ meta: () => ({ cueline: { kind: 'run', result } }) })),
    },
  });
  const reporter = new EvalReporter({ progress: false, ...options });
  // the parts of Vitest that the reporter reads
  reporter.onInit({ logger } as never);
  const modules = files.map(([file, ...reports]) => ({
    relativeModuleId: file,
    errors: () => errors,
    children: { allSuites: () => reports.map(suiteOf) },
  }));
  reporter.onTestRunEnd(modules as never, [], reason);
  return lines
    .join('\n')
    .trim()
    .replaceAll(/\d+ ms|\d\.\d s/g, '… ms');
}

/** The data of the page with all runs. */
function pageData(html: string): readonly unknown[] {
  const [, data] = /<script id="data" type="application\/json">(.*)<\/script>/.exec(html)!;
  return JSON.parse(data!) as readonly unknown[];
}

const prompt = definePrompt('greet', (prompt) => prompt.$`Greet.`);

function modelOf(text: string, modelId: string, inputTokens: number): ReturnType<typeof scriptedModel> {
  return scriptedModel([[{ text }, { finish: { usage: { inputTokens, outputTokens: 10 } } }]], { modelId });
}

test('the tokens and the cost of scorers are beside those of the runs', async () => {
  const evaluate = async (prices: EvalPrices = {}): Promise<string> => {
    const model = modelOf('{"reason":"So.","grade":5}', 'large', 100);
    const scorers = [contains('hello'), judge({ model, rubric: 'Friendly.' })];
    const definition = defineEval({ prompt, cases: [{ input: undefined }], scorers });
    return printed(await runEval(definition, { models: modelOf('Hello', 'small', 1_000), prices }));
  };
  const small = { input: 1, output: 2 };
  const line = '✓ greet\n  greet · simulated:small: 1/1 passed, 100 % (21–100 %) · p50 … ms, p95 … ms';
  expect(await evaluate()).toBe(`${line} · 1,010 tokens · scorers: 110 tokens`);
  expect(await evaluate({ small, large: { input: 10, output: 20 } })).toBe(
    `${line} · 1,010 tokens, cost 0.00102 · scorers: 110 tokens, cost 0.00120`,
  );
  expect(await evaluate({ small })).toBe(
    `${line} · 1,010 tokens, cost 0.00102 · scorers: 110 tokens without a price`,
  );
});

test.each([
  [1, '1 error'],
  [2, '2 errors'],
])('the report counts the errors of %i of two runs', async (count, errors) => {
  const scorers = [
    ({ input }: { input: number }) => {
      if (input < count) throw new Error('No.');
      return true;
    },
  ];
  const numbered = definePrompt('numbered', (prompt, input: number) => prompt.$`${input}`);
  const definition = defineEval({ prompt: numbered, cases: [{ input: 0 }, { input: 1 }], scorers });
  const model = scriptedModel(['Hello', 'Hello']);
  expect(printed(await runEval(definition, { models: model }))).toContain(`%) · ${errors} · p50`);
});

test('a report without some runs does not become the baseline', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-baseline-'));
  try {
    const updateBaseline = join(folder, 'evals.json');
    const options = { updateBaseline };
    const definition = defineEval({ prompt, cases: [{ input: undefined, expect: 'Hello' }] });
    const report = await runEval(definition, { models: scriptedModel(['Hello']) });
    expect(printed({ ...report, aborted: true }, { options })).toContain(
      'The baseline is not updated: greet was stopped before its end.',
    );
    expect(printed(report, { options, errors: [{ message: 'No such module.' }] })).toContain(
      'The baseline is not updated: greet.eval.ts has an error.',
    );
    expect(printed(report, { options, reason: 'interrupted' })).toContain(
      'The baseline is not updated: the evaluation was stopped before its end.',
    );
    expect(existsSync(updateBaseline)).toBe(false);
    expect(printed(report, { options })).toContain(`Written: ${updateBaseline}`);
    expect(existsSync(updateBaseline)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('an eval that has nothing in common with its baseline fails the command, and the others are compared', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-baseline-'));
  const exitCode = process.exitCode;
  try {
    const path = join(folder, 'evals.json');
    const evaluate = (id: string): Promise<EvalReport> => {
      const cases = [{ id, input: undefined, expect: 'Hello' }];
      return runEval(defineEval({ prompt, cases }), { models: scriptedModel(['Hello']) });
    };
    printed(await evaluate('first'), { options: { updateBaseline: path } });
    expect(printed(await evaluate('first'), { options: { baseline: path } })).toContain(
      'No pass rate is significantly lower, so the command passes.',
    );
    expect(process.exitCode).toBe(exitCode);
    const other = printed(await evaluate('second'), { options: { baseline: path } });
    expect(other).toContain('greet: The baseline of "greet" has no case, model and prompt in common');
    expect(other).toContain('An eval cannot be compared with the baseline, so the command fails.');
    expect(process.exitCode).toBe(1);
  } finally {
    process.exitCode = exitCode;
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a report with a significant drop does not become the baseline it is compared with', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-baseline-'));
  const exitCode = process.exitCode;
  try {
    const path = join(folder, 'evals.json');
    const evaluate = (answer: string): Promise<EvalReport> => {
      const cases = Array.from({ length: 20 }, (_, index) => ({
        id: `case-${index}`,
        input: undefined,
        expect: 'Hello',
      }));
      const models = scriptedModel(Array.from({ length: 20 }, () => answer));
      return runEval(defineEval({ prompt, cases }), { models });
    };
    const options = { baseline: path, updateBaseline: path };
    printed(await evaluate('Hello'), { options: { updateBaseline: path } });
    const before = readFileSync(path, 'utf8');
    const dropped = printed(await evaluate('Bye'), { options });
    expect(dropped).toContain('A pass rate is significantly lower, so the command fails.');
    expect(dropped).toContain('The baseline is not updated: a pass rate is significantly lower.');
    expect(process.exitCode).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe(before);
    // the report of all runs may also be the baseline
    expect(printed(await evaluate('Bye'), { options: { baseline: path, json: path } })).toContain(
      'A pass rate is significantly lower, so the command fails.',
    );
  } finally {
    process.exitCode = exitCode;
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each([
  [1, exitCode],
  [0, 1],
])('an eval with a pass rate of %i has the exit code %j without a baseline', async (passRate, code) => {
  const cases = [{ input: undefined, expect: 'Hello' }];
  const models = scriptedModel([passRate === 1 ? 'Hello' : 'Bye']);
  printed(await runEval(defineEval({ prompt, cases, threshold: 0.5 }), { models }));
  expect(process.exitCode).toBe(code);
});

describe('a comparison with a baseline', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cueline-baseline-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The report of an eval: one run for each answer, by each of the models. */
  const evaluate = (answers: readonly string[], modelIds = ['m'], ofPrompt = prompt): Promise<EvalReport> => {
    const cases = answers.map((_, index) => ({ id: `case-${index}`, input: undefined, expect: 'Hello' }));
    const models = modelIds.map((modelId) => scriptedModel([...answers], { modelId }));
    return runEval(defineEval({ prompt: ofPrompt, cases }), { models, concurrency: 1 });
  };
  const passing = ['Hello', 'Hello', 'Hello'];
  const failing = ['Bye', 'Bye', 'Bye'];

  test('pairs evals of one name by their files, wherever they are in the list', async () => {
    const baseline = join(folder, 'evals.json');
    const [good, bad] = [await evaluate(passing), await evaluate(failing)];
    printedOf(
      [
        ['a.eval.ts', good],
        ['b.eval.ts', bad],
      ],
      { options: { updateBaseline: baseline } },
    );
    process.exitCode = exitCode;
    const swapped = printedOf(
      [
        ['b.eval.ts', bad],
        ['c.eval.ts', bad],
        ['a.eval.ts', good],
      ],
      { options: { baseline } },
    );
    expect(swapped.split('\n').filter((line) => line.includes('→'))).toEqual([
      '✓ greet, greet · simulated:m: 0/3 (0 %) → 0/3 (0 %), no significant drop',
      '✓ greet, greet · simulated:m: 3/3 (100 %) → 3/3 (100 %), no significant drop',
    ]);
    expect(swapped).toContain('  greet: not in the baseline');
    expect(process.exitCode).toBe(exitCode);
  });

  test('pairs evals of one name by their order if the baseline has no files', async () => {
    const baseline = join(folder, 'evals.json');
    const [good, bad] = [await evaluate(passing), await evaluate(failing)];
    writeFileSync(baseline, JSON.stringify({ version: 1, evals: [good, bad] }));
    const output = printedOf([['a.eval.ts', good, bad]], { options: { baseline } });
    expect(output.split('\n').filter((line) => line.includes('→'))).toEqual([
      '✓ greet, greet · simulated:m: 3/3 (100 %) → 3/3 (100 %), no significant drop',
      '✓ greet, greet · simulated:m: 0/3 (0 %) → 0/3 (0 %), no significant drop',
    ]);
  });

  test('says that there are too few runs, and fails if none passes any more', async () => {
    const baseline = join(folder, 'evals.json');
    const models = ['m', 'n'];
    printed(await evaluate(passing, models), { options: { updateBaseline: baseline } });
    const tooFew = 'too few runs to detect a drop: pass --repeat, for the baseline, too';
    const one = printed(await evaluate(passing.with(1, 'Bye'), models), { options: { baseline } });
    expect(one.split(tooFew)).toHaveLength(3);
    expect(one).toContain('so the command passes.');
    expect(process.exitCode).toBe(exitCode);
    const all = printed(await evaluate(failing, models), { options: { baseline } });
    expect(all).toContain('✗ greet, greet · simulated:n: 3/3 (100 %) → 0/3 (0 %), no significant drop');
    expect(all).toContain('All runs of a prompt passed before, and none passes now, so the command fails.');
    expect(process.exitCode).toBe(1);
  });

  test('names a model that the baseline lacks', async () => {
    const baseline = join(folder, 'evals.json');
    printed(await evaluate(passing, ['m', 'n']), { options: { updateBaseline: baseline } });
    const output = printed(await evaluate(passing, ['m', 'o']), { options: { baseline } });
    expect(output).toContain('  greet, greet · simulated:o: not in the baseline');
    expect(output).toContain('✓ greet, greet · simulated:m: 3/3');
  });
});

const second = definePrompt('greet politely', (prompt) => prompt.$`Greet politely.`);
test.each([
  ['the runs of one prompt and model', [prompt], ['m'], ['Runs']],
  ['prompts', [prompt, second], ['m'], ['greet', 'greet politely']],
  ['models', [prompt], ['m', 'n'], ['simulated:m', 'simulated:n']],
  ['models of one name', [prompt], ['m', 'm'], ['simulated:m', 'simulated:m 2']],
  [
    'prompts and models',
    [prompt, second],
    ['m', 'n'],
    [
      'greet · simulated:m',
      'greet · simulated:n',
      'greet politely · simulated:m',
      'greet politely · simulated:n',
    ],
  ],
])('the columns of the page have the titles of %s', async (_, prompts, modelIds, columns) => {
  const models = modelIds.map((modelId) => scriptedModel(['Hello', 'Hello'], { modelId }));
  const definition = defineEval({ prompt, cases: [{ input: undefined, expect: 'Hello' }] });
  const folder = mkdtempSync(join(tmpdir(), 'cueline-html-'));
  try {
    const html = join(folder, 'report.html');
    printed(await runEval(definition, { models, prompts }), { options: { html } });
    expect(pageData(readFileSync(html, 'utf8'))).toMatchObject([{ columns }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a run that is too large for a link has its log in the page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-html-'));
  try {
    const html = join(folder, 'report.html');
    const sent = definePrompt('sent', (prompt, input: string) => prompt.$`${input}`);
    const cases = ['short', 'long '.repeat(120_000)].map((input) => ({ input, expect: 'Hello' }));
    const report = await runEval(defineEval({ prompt: sent, cases }), {
      models: scriptedModel(['Bye', 'Bye']),
      concurrency: 1,
    });
    const output = printed(report, { options: { html, playground: 'https://play.example/' } });
    expect(output).toContain(`Written: ${html}`);
    const [{ results }] = pageData(readFileSync(html, 'utf8')) as [
      { results: { replay?: string; log?: unknown }[] },
    ];
    expect(results).toMatchObject([
      { replay: expect.stringMatching(/^https:\/\/play\.example\/#/) },
      { log: expect.any(Array) },
    ]);
    expect(results[0]).not.toHaveProperty('log');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each(['play.example', 'localhost:5173', 'ftp://play.example/', ''])(
  'the playground "%s" is refused before an eval starts',
  (playground) => {
    expect(() => new EvalReporter({ playground })).toThrow(
      `The playground "${playground}" is not an HTTP address. Write it with its protocol: https://play.example/`,
    );
  },
);

test('what a model answers does not control the terminal', async () => {
  const control = '\u001b]52;c;cm0=\u0007\u001b[2J\u009b1;1H';
  const cases = [{ id: `one${control}`, input: undefined, expect: 'Hello' }];
  const scorers = [
    () => {
      throw new Error(`No:${control}\nsecond line`);
    },
  ];
  const failed = await runEval(defineEval({ name: `greet${control}`, prompt, cases }), {
    models: scriptedModel([`All passed${control}`]),
  });
  const broken = await runEval(defineEval({ prompt, cases, scorers }), { models: scriptedModel(['Hello']) });
  for (const report of [failed, broken]) {
    const lines: string[] = [];
    const reporter = new EvalReporter({ progress: false });
    reporter.onInit({ logger: { log: (text: string) => lines.push(text) } } as never);
    const [result] = report.results;
    reporter.onTestCaseResult({
      result: () => ({ state: 'failed' }),
      meta: () => ({ cueline: { kind: 'run', result } }),
      parent: { type: 'suite', name: report.name },
    } as never);
    const text = [...lines, printed(report)].join('\n');
    expect(text).toContain('one\uFFFD]52;c;cm0=\uFFFD\uFFFD[2J\uFFFD1;1H');
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  }
});
