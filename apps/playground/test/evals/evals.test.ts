import { runPrompt, type RunEvent } from '@cueline/core';
import { defineEval, runEval, type EvalResult } from '@cueline/core/evals';
import { decodeLink, encodeLink } from '@cueline/core/link';
import { beforeEach, expect, test, vi } from 'vitest';
import { addCaseFromRun } from '../../src/evals/add-case.ts';
import { createScorers } from '../../src/evals/create-scorers.ts';
import {
  readEvalSettings,
  readOwnEvalSettings,
  readResults,
  toSharedResult,
  type EvalSettings,
} from '../../src/evals/eval-settings.ts';
import { decodeText, readCaseFile, unusedValues } from '../../src/evals/open-case-file.ts';
import {
  areOutdated,
  describePlan,
  furtherModels,
  planEval,
  type EvalPlan,
} from '../../src/evals/plan-eval.ts';
import { filterRows, toTable } from '../../src/evals/result-rows.ts';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import { startEval } from '../../src/evals/start-eval.ts';
import { runKey, useEvals, type Evaluation } from '../../src/evals/store.ts';
import { readStoredEvals } from '../../src/evals/stored-evals.ts';
import { defaultConnection } from '../../src/model/connection.ts';
import { sampleModel } from '../../src/model/sample-model.ts';
import { libraryOf } from '../../src/prompts/check-prompts.ts';
import { samplePrompts, sampleValues } from '../../src/prompts/sample-prompts.ts';
import { usePlayground } from '../../src/state/store.ts';

const initial = useEvals.getState();
const state = () => useEvals.getState();
beforeEach(() => useEvals.setState(initial, true));

const openai = { ...defaultConnection, kind: 'openai' as const };

async function evaluate(models: ('demo' | 'demo-small')[]): Promise<EvalResult[]> {
  const plan = planEval(sampleEval, samplePrompts, defaultConnection);
  if ('problem' in plan) throw new Error(plan.problem);
  const results: EvalResult[] = [];
  for (const { prompt, cases } of plan.evals) {
    const scorers = createScorers(sampleEval.scorers, sampleModel('demo'));
    await runEval(defineEval({ prompt, cases, scorers }), {
      models: models.map((id) => sampleModel(id, { hurried: true })),
      onResult: (result) => results.push(result),
    });
  }
  return results;
}

function evaluationOf(results: readonly EvalResult[]): Evaluation {
  return {
    settings: sampleEval,
    prompts: samplePrompts,
    runs: results,
    results: new Map(results.map((result) => [runKey(result), result])),
    shared: false,
  };
}

test('the results of the sample eval differ between versions and models', async () => {
  const { columns } = toTable(evaluationOf(await evaluate(['demo', 'demo-small'])));
  const rates = columns.map(({ prompt, model, summary }) => [prompt, model, summary.passed]);
  expect(rates).toEqual([
    ['classify-feedback@1.0.0', 'simulated:demo', 0],
    ['classify-feedback@1.0.0', 'simulated:demo-small', 0],
    ['classify-feedback@1.1.0', 'simulated:demo', 8],
    ['classify-feedback@1.1.0', 'simulated:demo-small', 7],
  ]);
});

test('each filter and a search keep only the rows that match', async () => {
  const { rows } = toTable(evaluationOf(await evaluate(['demo'])));
  const ids = (filter: typeof initial.filter, search = '') =>
    filterRows(rows, { filter, search }).map(({ id }) => id);
  expect(ids('all')).toHaveLength(9);
  expect(ids('failed')).toHaveLength(9);
  expect(ids('passed')).toEqual([]);
  expect(ids('different')).toHaveLength(8);
  expect(ids('errors')).toEqual([]);
  expect(ids('unstable')).toEqual([]);
  expect(ids('all', 'omelette')).toEqual(['irony']);
});

test('a link restores the shared results, without logs', async () => {
  const results = await evaluate(['demo']);
  const link = encodeLink({ evaluation: { settings: sampleEval, results: results.map(toSharedResult) } });
  expect(link).toMatch(/^#v1\.e\./);
  const { settings, results: shared } = decodeLink(link).evaluation as Record<string, unknown>;
  expect(readEvalSettings(settings)).toEqual(sampleEval);
  const read = readResults(shared)!;
  expect(read).toHaveLength(18);
  expect(read.some((result) => result.log !== undefined)).toBe(false);
  expect(toTable(evaluationOf(read)).columns.map(({ summary }) => summary.passed)).toEqual([0, 8]);
  // the page knows its own short links by their text
  const again = encodeLink({
    evaluation: { settings: readEvalSettings(settings), results: read.map(toSharedResult) },
  });
  expect(again).toBe(link);
});

test.each([
  [null],
  [{ ...sampleEval, repeat: 1_000 }],
  [{ ...sampleEval, scorers: [{ kind: 'script', value: 'alert(1)' }] }],
  [{ ...sampleEval, cases: [{ id: 1 }] }],
])('an eval from a link with an invalid shape is refused (%#)', (value) => {
  expect(readEvalSettings(value)).toBeUndefined();
});

test('a stored eval may have any length; a link may not', () => {
  const long = { id: 'long', input: { TEXT: 'x'.repeat(200_001) }, expect: '' };
  const content = { ...sampleEval, cases: [long] };
  const documents = [{ id: 'own', isOwn: true, content }];
  expect(readStoredEvals({ documents, shown: 'own' })).toEqual({ documents, shown: 'own' });
  expect(readEvalSettings(content)).toBeUndefined();
});

test.each([[null], [[{ caseId: 'a' }]], [[{ status: 'great' }]]])(
  'results from a link with an invalid shape are refused (%#)',
  (value) => {
    expect(readResults(value)).toBeUndefined();
  },
);

const planned = (change: Partial<EvalSettings>, connection = defaultConnection): unknown =>
  planEval({ ...sampleEval, ...change }, samplePrompts, connection);

test.each([
  [{ prompt: 'gone' }, 'There is no prompt gone. Choose one.'],
  [{ versions: [] }, 'Choose a version to run.'],
  [{ versions: ['9.9.9'] }, 'There is no version 9.9.9 of classify-feedback. Choose another in its place.'],
  [{ cases: [] }, 'This eval has no cases. Add one.'],
  [{ cases: [sampleEval.cases[0]!, sampleEval.cases[0]!] }, 'Two cases are called praise. Rename one.'],
  [
    { scorers: [{ kind: 'judge' as const, value: '' }] },
    'The judge has no rubric. Describe a good answer in it.',
  ],
  [
    { scorers: [{ kind: 'closeTo' as const, value: '0,5' }] },
    'The largest difference 0,5 is not a number. Write one such as 0.5.',
  ],
  [
    { scorers: [{ kind: 'closeTo' as const, value: '' }], cases: [{ id: 'a', input: {}, expect: '12 kg' }] },
    'The expected answer of a is not a number. Write one such as 1200.5.',
  ],
  [
    { scorers: [{ kind: 'closeTo' as const, value: '1' }], cases: [{ id: 'a', input: {}, expect: ' ' }] },
    'The expected answer of a is not a number. Write one such as 1200.5.',
  ],
  [
    { scorers: [{ kind: 'contains' as const, value: ' ' }], cases: [{ id: 'a', input: {}, expect: '' }] },
    'a has no expected answer. Write one, or a text for all cases.',
  ],
  [
    { scorers: [{ kind: 'matches' as const, value: '' }], cases: [{ id: 'a', input: {}, expect: '' }] },
    'a has no expected answer. Write one, or a pattern for all cases.',
  ],
  [
    { prices: { demo: { input: '2.5', output: ' ' } } },
    'The price of demo has no output. Write it, or 0 if it costs nothing.',
  ],
  [
    { prices: { demo: { input: 'cheap', output: '1' } } },
    /^The price of demo is not a number\. Write dollars/,
  ],
  [
    { repeat: 20, cases: Array.from({ length: 200 }, (_, at) => ({ id: `${at}`, input: {}, expect: '' })) },
    /^This eval needs 8,000 runs/,
  ],
])('says what keeps an eval from running (%#)', (change, problem) => {
  expect(planned(change)).toEqual({
    problem: problem instanceof RegExp ? expect.stringMatching(problem) : problem,
  });
});

test('an eval does not run if two versions have the same name', () => {
  const [first, ...rest] = samplePrompts;
  expect(planEval(sampleEval, [first!, { ...first!, name: 'Copy' }, ...rest], defaultConnection)).toEqual({
    problem: 'There are two versions 1.0.0 of classify-feedback. Rename one in the Prompts view.',
  });
});

test('runs are cases × versions × models × repeats', () => {
  expect(planned({})).toMatchObject({ runs: 36, models: [undefined], prices: undefined });
  expect(planned({ models: ['demo-small'] })).toMatchObject({ runs: 72 });
  expect(planned({ prices: { demo: { input: '1', output: '2.5' } } })).toMatchObject({
    prices: { demo: { input: 1, output: 2.5 } },
  });
});

test('the plan counts the calls of the judge', () => {
  const judge = { kind: 'judge' as const, value: 'Friendly.' };
  const describe = (scorers: EvalSettings['scorers'], cases = sampleEval.cases) =>
    describePlan(planned({ scorers, cases }) as EvalPlan);
  expect(describe(sampleEval.scorers)).toBe('36 runs');
  expect(describe([judge])).toBe('36 runs and 36 calls of the judge');
  expect(describe([judge, judge])).toBe('36 runs and 72 calls of the judge');
  expect(describe([judge], [])).toBe('This eval has no cases. Add one.');
});

test('each version gets only the values of its own parameters', () => {
  const later = {
    ...samplePrompts[1]!,
    userPrompt: 'Classify what {GUEST} wrote: {TEXT}',
    userPromptParameters: [
      ...samplePrompts[1]!.userPromptParameters,
      { name: 'GUEST', type: 'string' as const },
    ],
  };
  const cases = [{ id: 'one', input: { TEXT: 'Fine.', GUEST: 'Ada' }, expect: 'POSITIVE' }];
  const plan = planEval({ ...sampleEval, cases }, [samplePrompts[0]!, later], defaultConnection);
  expect('evals' in plan && plan.evals.map((each) => each.cases[0]!.input)).toEqual([
    { TEXT: 'Fine.' },
    { TEXT: 'Fine.', GUEST: 'Ada' },
  ]);
});

test('results belong to the texts that ran, and are outdated once one of these versions is edited', async () => {
  state().change({ versions: ['1.1.0'], repeat: 1, cases: sampleEval.cases.slice(0, 1) });
  await startEval();
  const { prompts } = state().evaluation!;
  expect(prompts.map(({ version }) => version)).toEqual(['1.1.0']);
  expect(areOutdated(prompts, samplePrompts)).toBe(false);
  const edit = (version: string) =>
    samplePrompts.map((one) => (one.version === version ? { ...one, userPrompt: '{TEXT}?' } : one));
  expect(areOutdated(prompts, edit('1.0.0'))).toBe(false);
  expect(areOutdated(prompts, edit('1.1.0'))).toBe(true);
  expect(areOutdated(prompts, [])).toBe(true);
});

test('a run on another server is not reused, even if the model has the same name', async () => {
  const hosts: string[] = [];
  const path = `${crypto.randomUUID()}/v1`;
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: '1', created: 1, model: 'same', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const body = `${chunk({ role: 'assistant', content: 'POSITIVE' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
  vi.stubGlobal('fetch', async (address: string | URL | Request) => {
    hosts.push(new URL(address instanceof Request ? address.url : address).host);
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const { connection } = usePlayground.getState();
  try {
    state().change({ versions: ['1.1.0'], repeat: 1, cases: sampleEval.cases.slice(0, 1) });
    for (const port of [8001, 8001, 8002]) {
      const compatible = { model: 'same', baseUrl: `http://localhost:${port}/${path}` };
      usePlayground.setState({ connection: { ...connection, kind: 'compatible', compatible } });
      await startEval();
    }
    expect(hosts).toEqual(['localhost:8001', 'localhost:8002']);
  } finally {
    usePlayground.setState({ connection });
    vi.unstubAllGlobals();
  }
});

test('the connection decides which further models are available', () => {
  const settings = { ...sampleEval, models: ['demo-small', ' gpt-5 ', '', 'gpt-5', openai.openai.model] };
  expect(furtherModels(settings, defaultConnection)).toEqual(['demo-small']);
  expect(furtherModels(settings, openai)).toEqual(['gpt-5']);
});

test('reads cases from CSV and JSON, and reports the errors of invalid files', () => {
  expect(readCaseFile('a.csv', 'id,TEXT,expect\none,"Fine, thanks",POSITIVE\n')).toEqual([
    { id: 'one', input: { TEXT: 'Fine, thanks' }, expect: 'POSITIVE' },
  ]);
  expect(readCaseFile('a.json', '{"cases":[{"input":{"TEXT":"Hi","N":2},"expect":{"a":1}}]}')).toEqual([
    { id: 'case-1', input: { TEXT: 'Hi', N: '2' }, expect: '{"a":1}' },
  ]);
  expect(() => readCaseFile('a.json', '{')).toThrow(/a\.json are not readable: it is not JSON/);
  expect(() => readCaseFile('a.json', '{}')).toThrow(/not a list of cases/);
  expect(() => readCaseFile('a.json', '[{"input":1}]')).toThrow(/the input of case 1 is not an object/);
  expect(() => readCaseFile('a.csv', 'expect\nx\n')).toThrow(/no column is input/);
  expect(() => readCaseFile('a.csv', '')).toThrow(/a\.csv/);
});

test('says which values of a file no parameter takes, and refuses a file that is not UTF-8', () => {
  const unused = (csv: string) =>
    unusedValues(readCaseFile('a.csv', csv), 'classify-feedback', samplePrompts.slice(0, 2));
  expect(unused('id,TEXT,expect\none,Fine.,POSITIVE\n')).toBeUndefined();
  expect(unused('id,text,Expect\none,Fine.,POSITIVE\n')).toBe(
    'classify-feedback has no parameter "text", "Expect": these values are not used. Parameters of classify-feedback: TEXT. Columns of a case: id, expect.',
  );
  const latin1 = Uint8Array.from('TEXT\ncaf\u00e9\n', (letter) => letter.charCodeAt(0));
  expect(() => decodeText('a.csv', latin1.buffer)).toThrow('a.csv is not UTF-8.');
  expect(decodeText('a.csv', new TextEncoder().encode('TEXT\ncaf\u00e9\n').buffer)).toBe('TEXT\ncaf\u00e9\n');
});

test('a run becomes a case with its values and its answer', async () => {
  const { library } = libraryOf(samplePrompts[1]!)!;
  const { run } = await runPrompt(library.definePrompt('classify-feedback@1.1.0'), {
    model: sampleModel('demo', { hurried: true }),
    input: { TEXT: 'A dirty bath.' },
  } as never);
  await run.finished;
  expect(addCaseFromRun(run.log())).toBeUndefined();
  expect(state().settings.cases.at(-1)).toEqual({
    id: 'from-run',
    input: { TEXT: 'A dirty bath.' },
    expect: 'NEGATIVE',
  });
  expect(addCaseFromRun([] as RunEvent[])).toMatch(/did not use a prompt of a library/);
  const reply = [{ ...run.log()[0]!, turns: 2 } as RunEvent, ...run.log().slice(1)];
  expect(addCaseFromRun(reply)).toMatch(/^This run is a reply/);

  // a run of a link was started in code, where values are not only texts
  const [start, ...rest] = run.log() as [RunEvent, ...RunEvent[]];
  for (const input of [{ TEXT: 'A dirty bath.', NIGHTS: 2, TAGS: ['a'] }, undefined])
    expect(addCaseFromRun([{ ...start, input } as RunEvent, ...rest])).toBeUndefined();
  const { settings } = state();
  expect(settings.cases.slice(-2).map(({ input }) => input)).toEqual([
    { TEXT: 'A dirty bath.', NIGHTS: '2', TAGS: '["a"]' },
    {},
  ]);
  expect(readOwnEvalSettings(settings)).toEqual(settings);
});

test('a run of another prompt becomes a case of an eval of that prompt, and the user’s own eval is kept', async () => {
  state().editCase(0, { expect: 'MINE' });
  const mine = state().settings;
  const { library } = libraryOf(samplePrompts[2]!)!;
  const { run } = await runPrompt(library.definePrompt('answer-guest'), {
    model: sampleModel('demo', { hurried: true }),
    input: sampleValues['answer-guest'],
  } as never);
  await run.finished;
  useEvals.setState({
    evaluation: { settings: mine, prompts: [], runs: [], results: new Map(), shared: false },
  });
  expect(addCaseFromRun(run.log())).toBeUndefined();
  expect(state().settings).toMatchObject({ prompt: 'answer-guest', cases: [{ id: 'from-run' }] });
  expect(state().evaluation).toBeUndefined();
  const added = state().settings;
  state().restore();
  expect(state().settings).toEqual(mine);
  expect(addCaseFromRun(run.log())).toBeUndefined();
  expect(state().settings.cases).toEqual([...added.cases, { ...added.cases[0], id: 'from-run-2' }]);
});

test('a removed case can be put back where it was', () => {
  const { settings } = state();
  const undo = state().removeCase(1);
  expect(state().settings.cases).toEqual(settings.cases.toSpliced(1, 1));
  undo();
  expect(state().settings).toEqual(settings);
});

test('a removed case is put back into its eval while another one is shown', () => {
  const undo = state().removeCase(1);
  state().replace({ ...sampleEval, cases: [] }, undefined);
  undo();
  expect(state().settings.cases).toEqual([]);
  state().restore();
  expect(state().settings).toEqual(sampleEval);
});

test('opening an eval from a link keeps the user’s own eval', () => {
  state().editCase(0, { expect: 'MINE' });
  const mine = state().settings;
  state().replace(sampleEval, undefined);
  expect(state().settings).toEqual(sampleEval);
  state().restore();
  expect(state().settings).toEqual(mine);
});

test('an eval runs in the page; failed runs can be repeated alone, and an unchanged run is not repeated', async () => {
  state().change({ versions: ['1.1.0'], repeat: 1, cases: sampleEval.cases.slice(6) });
  // all of them, because an earlier attempt may have run them
  await startEval('all');
  expect(usePlayground.getState()).toMatchObject({ evaluating: false, tab: 'run' });
  const statuses = () =>
    [...state().evaluation!.results.values()].map(({ caseId, status, stored }) => [caseId, status, stored]);
  expect(statuses()).toEqual([
    ['question', 'passed', false],
    ['fact', 'passed', false],
    ['irony', 'failed', false],
  ]);
  await startEval('failed');
  expect(statuses()).toEqual([
    ['question', 'passed', true],
    ['fact', 'passed', true],
    ['irony', 'failed', false],
  ]);
  state().editCase(2, { expect: 'NEUTRAL' });
  await startEval();
  expect(statuses()).toEqual([
    ['question', 'passed', true],
    ['fact', 'passed', true],
    ['irony', 'passed', true],
  ]);
});
