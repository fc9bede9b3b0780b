// Evals: a test for each feature and each example.
import { runPrompt } from '@cueline/core';
import { caseFromRun, defineEval, runEval, triad } from '@cueline/core/evals';
import { createPromptLibrary } from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';

describe('evals', () => {
  const mood = createPromptLibrary({
    id: 'mood',
    version: '1.0.0',
    name: 'Mood',
    userPrompt: 'Given some text, classify it as POSITIVE or NEGATIVE: {TEXT}',
    userPromptParameters: [{ name: 'TEXT', type: 'string' }],
  }).definePrompt('mood');
  const evaluation = defineEval({
    prompt: mood,
    cases: triad({
      base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
      same: { TEXT: 'I am joyful' },
      different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
    }),
  });

  test('the triad: a base case, another input with the same answer, one with a different answer', () => {
    expect(evaluation.cases.map((one) => [one.id, one.input, one.expect])).toEqual([
      ['base', { TEXT: 'I am happy' }, 'POSITIVE'],
      ['same', { TEXT: 'I am joyful' }, 'POSITIVE'],
      ['different', { TEXT: 'I am sad' }, 'NEGATIVE'],
    ]);
  });

  test('evals run like unit tests, and each failure is named', async () => {
    const right = await runEval(evaluation, {
      models: scriptedModel(['POSITIVE', 'POSITIVE', 'NEGATIVE']),
      concurrency: 1,
    });
    expect(right.passed).toBe(true);
    const wrong = await runEval(evaluation, {
      models: scriptedModel(['POSITIVE', 'NEGATIVE', 'NEGATIVE']),
      concurrency: 1,
    });
    expect(wrong.passed).toBe(false);
    expect(wrong.results.filter(({ status }) => status === 'failed').map(({ caseId }) => caseId)).toEqual([
      'same',
    ]);
  });

  test('evals run again when the model changes, separately for each model', async () => {
    const models = {
      old: scriptedModel(['POSITIVE', 'POSITIVE', 'NEGATIVE']),
      new: scriptedModel(['POSITIVE', 'POSITIVE', 'POSITIVE']),
    };
    const providers = { models: (name: string) => models[name as keyof typeof models] };
    const { groups } = await runEval(evaluation, {
      models: ['models:old', 'models:new'],
      providers,
      concurrency: 1,
    });
    expect(groups.map(({ model, passed }) => [model, passed])).toEqual([
      ['models:old', 3],
      ['models:new', 2],
    ]);
  });

  test('a recorded run becomes a case', async () => {
    const { run } = await runPrompt(mood, { input: { TEXT: 'Hooray' }, model: scriptedModel(['POSITIVE']) });
    await run.finished;
    expect(caseFromRun(run.log())).toMatchObject({ input: { TEXT: 'Hooray' }, expect: 'POSITIVE' });
  });
});
