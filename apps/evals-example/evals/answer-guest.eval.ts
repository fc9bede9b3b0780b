import { contains, defineEval, judge } from '@cueline/core/evals';
import { describeEval, openCassette } from '@cueline/evals';
import { library } from '../src/library.ts';

const cassette = openCassette(new URL('answer-guest.cassette.json', import.meta.url));

describeEval(
  defineEval({
    prompt: library.definePrompt('answer-guest'),
    cases: [
      {
        id: 'thin-walls',
        input: { HOTEL: 'Hotel Miramar', TONE: 'warm', REVIEW: 'Great breakfast, thin walls.' },
        expect: ['breakfast', 'The reception'],
      },
    ],
    scorers: [
      contains(),
      judge({
        model: cassette.model('ollama:llama3.2'),
        rubric: 'Thanks the guest, takes the complaint seriously, promises nothing.',
      }),
      function atMostFiveSentences({ output }) {
        return output.text.split(/[.!?](?:\s|$)/).filter(Boolean).length <= 5;
      },
    ],
  }),
  { models: 'ollama:llama3.2', cassette },
);
