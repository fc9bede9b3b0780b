// More cases, models and evals than a link or a file may add.
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, test } from 'vitest';
import { EvalForm } from '../../src/evals/eval-form.tsx';
import {
  linkProblemOf,
  readEvalSettings,
  readResults,
  type EvalSettings,
} from '../../src/evals/eval-settings.ts';
import { openCaseFile } from '../../src/evals/open-case-file.ts';
import { otherModels } from '../../src/evals/plan-eval.ts';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import { useEvals } from '../../src/evals/store.ts';
import { mergeEvals, readStoredEvals } from '../../src/evals/stored-evals.ts';
import { defaultConnection } from '../../src/model/connection.ts';

const initial = useEvals.getState();
beforeEach(() => useEvals.setState(initial, true));

const many = (count: number): EvalSettings['cases'] =>
  Array.from({ length: count }, (_, at) => ({ id: `case-${at}`, input: { TEXT: `${at}` }, expect: '' }));

test('a file adds no case to an eval that has more cases than the maximum', async () => {
  const { change, addCase } = useEvals.getState();
  change({ cases: many(2_000) });
  addCase();
  await openCaseFile(new File(['TEXT,expect\none,A\ntwo,B\nthree,C\n'], 'more.csv'));
  expect(useEvals.getState().settings.cases).toHaveLength(2_001);
});

test('no case is lost when two tabs together add more cases than the maximum', () => {
  const store = (cases: EvalSettings['cases']) => ({
    documents: [{ id: 'own', isOwn: true, content: { ...sampleEval, cases } }],
    shown: 'own',
  });
  const before = many(1_999);
  const added = (id: string) => [...before, { id, input: {}, expect: '' }];
  const merged = mergeEvals(store(before), store(added('mine')), store(added('theirs')));
  const ids = merged.documents[0]!.content.cases.map(({ id }) => id);
  expect(ids).toHaveLength(2_001);
  expect(ids).toEqual(expect.arrayContaining(['mine', 'theirs']));
});

test('the user’s own eval is read with more models and scorers than a link may have', () => {
  const models = Array.from({ length: 9 }, (_, at) => `model-${at}`);
  const scorers = Array.from({ length: 11 }, () => sampleEval.scorers[0]!);
  const content = { ...sampleEval, models, scorers };
  const stored = { documents: [{ id: 'own', isOwn: true, content }], shown: 'own' };
  expect(readStoredEvals(structuredClone(stored))).toEqual(stored);
  expect(readEvalSettings({ ...sampleEval, models })).toBeUndefined();
  expect(linkProblemOf({ ...sampleEval, models })).toMatch(
    /has 9 further models.* at most 8\. Remove some of them\. With the demo model/,
  );
  expect(linkProblemOf(sampleEval)).toBeUndefined();
});

test('the form adds no model beyond the maximum of a link, and says why', () => {
  const form = (models: readonly string[], kind: 'demo' | 'openai') =>
    renderToStaticMarkup(
      createElement(EvalForm, {
        settings: { ...sampleEval, models },
        prompts: [],
        connection: { ...defaultConnection, kind },
      }),
    );
  const models = Array.from({ length: 8 }, (_, at) => `model-${at}`);
  expect(form(models.slice(1), 'demo')).not.toContain('already has');
  expect(form(models, 'demo')).toContain('this eval already has 8 models of other connections');
  expect(form(models, 'openai')).not.toContain('too many');
  expect(form([...models, 'demo-small'], 'openai')).toContain('Remove model-7');
});

test('the models of other connections are not those of this one', () => {
  const settings = { ...sampleEval, models: ['gpt-5', 'demo-small', 'gpt-5-nano'] };
  expect(otherModels(settings, defaultConnection)).toEqual(['gpt-5', 'gpt-5-nano']);
  expect(otherModels(settings, { ...defaultConnection, kind: 'openai' })).toEqual(['demo-small']);
});

test('the evals of many prompts are all kept', () => {
  const { openEvalOf, addCase } = useEvals.getState();
  for (let prompt = 0; prompt < 25; prompt += 1) {
    openEvalOf(`prompt-${prompt}`, '1.0.0');
    addCase({ expect: `answer ${prompt}` });
  }
  openEvalOf('prompt-0', '1.0.0');
  expect(useEvals.getState().settings.cases).toMatchObject([{ expect: 'answer 0' }]);
});

const result = (change: { caseId?: string; prompt?: string; model?: string }) => ({
  caseId: 'one',
  repetition: 0,
  model: 'm',
  prompt: 'p@1.0.0',
  status: 'passed',
  input: {},
  scores: [],
  usage: { inputTokens: 1, outputTokens: 1 },
  ms: 1,
  stored: false,
  ...change,
});
const results = (count: number, change: (at: number) => Parameters<typeof result>[0]) =>
  Array.from({ length: count }, (_, at) => result(change(at)));

test('the results of a link have at most the columns and the cells of the largest eval', () => {
  expect(readResults(results(180, (at) => ({ prompt: `p@${at % 20}`, model: `m${at % 9}` })))).toHaveLength(
    180,
  );
  expect(readResults(results(5_000, (at) => ({ caseId: `c${at % 2_000}` })))).toHaveLength(5_000);
  // each would draw a card and a column
  expect(readResults(results(5_000, (at) => ({ caseId: `c${at}`, model: `m${at}` })))).toBeUndefined();
  expect(readResults(results(181, (at) => ({ model: `m${at}` })))).toBeUndefined();
  // a table of 100 columns and 5,000 rows
  expect(readResults(results(5_000, (at) => ({ caseId: `c${at}`, model: `m${at % 100}` })))).toBeUndefined();
});
