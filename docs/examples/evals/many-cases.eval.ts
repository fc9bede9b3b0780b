import { contains, defineEval, judge } from '@cueline/core/evals';
import { createPromptLibrary } from '@cueline/core/library';
import { describeEval, openCassette, readCases } from '@cueline/evals';

const library = await createPromptLibrary(new URL('prompts/mood.json', import.meta.url));
const cassette = openCassette(new URL('many-cases.cassette.json', import.meta.url));

const mood = defineEval({
  name: 'mood of many texts',
  prompt: library.definePrompt('mood'),
  // columns: id, expect, and the parameter TEXT
  cases: readCases<{ TEXT: string }>(new URL('cases.csv', import.meta.url)),
  scorers: [
    contains(),
    judge({ model: cassette.model('openai:gpt-4o'), rubric: 'The answer is one word, in capital letters.' }),
  ],
  repeat: 3,
  threshold: 0.9,
});

describeEval(mood, { models: ['openai:gpt-4o', 'openai:gpt-4o-mini'], cassette });
