import { defineEval, equals, triad } from '@cueline/core/evals';
import { describeEval, openCassette, readCases } from '@cueline/evals';
import { library } from '../src/library.ts';

const cassette = openCassette(new URL('classify-feedback.cassette.json', import.meta.url));
const prompt = library.definePrompt('classify-feedback');

// the three cases that must always pass
describeEval(
  defineEval({
    name: 'classify feedback: triad',
    prompt,
    cases: triad({
      base: { input: { TEXT: 'Everything was perfect.' }, expect: 'POSITIVE' },
      same: { TEXT: 'A wonderful stay, thank you!' },
      different: { input: { TEXT: 'The bathroom was dirty.' }, expect: 'NEGATIVE' },
    }),
  }),
  { models: 'ollama:llama3.2', cassette },
);

// those that guests wrote, each twice; one of ten may fail
describeEval(
  defineEval({
    name: 'classify feedback',
    prompt,
    cases: readCases<{ TEXT: string }>(new URL('feedback.csv', import.meta.url)),
    scorers: [equals()],
    repeat: 2,
    threshold: 0.9,
  }),
  { models: 'ollama:llama3.2', cassette },
);
