// An eval in Vitest: the tests of this file are those that describeEval defines.
import { definePrompt } from '@cueline/core';
import { defineEval, triad } from '@cueline/core/evals';
import { scriptedModel } from '@cueline/core/testing';
import { describeEval } from '@cueline/evals';
import { expect, test } from 'vitest';
import * as z from 'zod';

const classify = definePrompt(
  'classify',
  (prompt, { TEXT }: { TEXT: string }) => {
    prompt.$`Classify as POSITIVE or NEGATIVE: ${TEXT}`;
  },
  { input: z.object({ TEXT: z.string() }) },
);
let calls = 0;
const base = scriptedModel([]);
const model: typeof base = {
  ...base,
  doStream(options) {
    calls += 1;
    const isSad = JSON.stringify(options.prompt).includes('sad');
    return scriptedModel([isSad ? 'NEGATIVE' : 'POSITIVE']).doStream(options);
  },
};
const cases = triad({
  base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
  same: { TEXT: 'I am joyful' },
  different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
});

describeEval(defineEval({ prompt: classify, cases }), { models: model, repeat: 2 });

const half = [...cases, { input: { TEXT: 'I am tired' }, expect: 'NEGATIVE' }];
describeEval(defineEval({ name: 'most pass', prompt: classify, cases: half, threshold: 0.75 }), {
  models: model,
});

test('the evals above ran each of their cases once', () => {
  expect(calls).toBe(10);
});

test('a cassette without a model is refused', () => {
  expect(() => describeEval(defineEval({ prompt: classify, cases }), { cassette: 'none.json' })).toThrow(
    '"cassette" needs a model',
  );
});
