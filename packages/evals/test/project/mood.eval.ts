import { definePrompt } from '@cueline/core';
import { contains, defineEval, triad } from '@cueline/core/evals';
import { describeEval } from '@cueline/evals';
import * as z from 'zod';

const classify = definePrompt(
  'classify',
  (prompt, { TEXT }) => {
    prompt.$`Classify as POSITIVE or NEGATIVE: ${TEXT}`;
  },
  { input: z.object({ TEXT: z.string() }), model: 'local:mood' },
);

const cases = triad({
  base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
  same: { TEXT: 'I am joyful' },
  different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
});

const cassette = process.env['CASSETTE'];

describeEval(
  defineEval({ name: 'mood', prompt: classify, cases, scorers: [contains()] }),
  cassette === undefined ? {} : { cassette },
);
