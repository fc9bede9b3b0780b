import { callsTools, contains, defineEval } from '@cueline/core/evals';
import { describeEval, openCassette } from '@cueline/evals';
import { bookTable } from '../src/book-table.ts';

const cassette = openCassette(new URL('book-table.cassette.json', import.meta.url));

describeEval(
  defineEval({
    prompt: bookTable,
    cases: [
      { id: 'six', input: { request: 'We are six, on Friday at half past seven.' }, expect: 'terrace' },
    ],
    scorers: [
      contains(),
      callsTools([{ name: 'bookTable', input: { guests: 6, day: 'Friday' } }], { mode: 'exactly' }),
    ],
  }),
  { models: 'ollama:llama3.2', cassette },
);
