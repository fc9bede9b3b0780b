import { definePrompt } from '@cueline/core';
import { contains, defineEval } from '@cueline/core/evals';
import { describeEval } from '@cueline/evals';

const weather = definePrompt('weather', (prompt) => prompt.$`The weather in Oslo?`, {
  model: 'local:weather',
});

const cassette = process.env['CASSETTE'];

describeEval(
  defineEval({
    prompt: weather,
    cases: [{ id: 'oslo', input: undefined, expect: 'POSITIVE' }],
    scorers: [contains()],
  }),
  cassette === undefined ? {} : { cassette },
);
