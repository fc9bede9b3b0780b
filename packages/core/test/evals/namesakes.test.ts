// The results of models, or of prompts, that have the same name are kept apart.
import { definePrompt } from '@cueline/core';
import { compareWithBaseline, listRuns, runEval } from '@cueline/core/evals';
import { expect, test } from 'vitest';
import { classify, many, modelOf } from '../support/evals.ts';

const other = definePrompt('classify', (prompt, { TEXT }: { TEXT: string }) => {
  prompt.$`Is this ok? ${TEXT}`;
});

test('models of one name have numbers', async () => {
  const models = [modelOf(() => 'ok'), modelOf(() => 'no'), modelOf(() => 'no', 'm 2')];
  const report = await runEval(many(2), { models });
  const names = ['simulated:m', 'simulated:m 2', 'simulated:m 2 2'];
  expect(report.groups.map(({ model, passed }) => [model, passed])).toEqual([
    [names[0], 2],
    [names[1], 0],
    [names[2], 0],
  ]);
  expect(report.results.map(({ model, status }) => [model, status])).toEqual([
    [names[0], 'passed'],
    [names[0], 'passed'],
    [names[1], 'failed'],
    [names[1], 'failed'],
    [names[2], 'failed'],
    [names[2], 'failed'],
  ]);
  expect(listRuns(many(1), { models }).map(({ model }) => model)).toEqual(names);
  expect(
    compareWithBaseline(report, report).map(({ before, now }) => [before.passed, now.passed, now.runs]),
  ).toEqual([
    [2, 2, 2],
    [0, 0, 2],
    [0, 0, 2],
  ]);
});

test('prompts of one name have numbers', async () => {
  const model = modelOf((text) => (text.startsWith('Is this') ? 'no' : 'ok'));
  const report = await runEval(many(1), { models: model, prompts: [classify, other] });
  expect(report.groups.map(({ prompt, passed }) => [prompt, passed])).toEqual([
    ['classify', 1],
    ['classify 2', 0],
  ]);
  expect(report.results.map(({ prompt, status }) => [prompt, status])).toEqual([
    ['classify', 'passed'],
    ['classify 2', 'failed'],
  ]);
});
