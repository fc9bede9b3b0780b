import { defineEval, equals, triad } from '@cueline/core/evals';
import { createPromptLibrary } from '@cueline/core/library';
import { describeEval } from '@cueline/evals';

const library = await createPromptLibrary(new URL('prompts/mood.json', import.meta.url));

const mood = defineEval({
  prompt: library.definePrompt('mood'),
  cases: triad({
    base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
    same: { TEXT: 'I am joyful' },
    different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
  }),
  scorers: [equals()],
});

describeEval(mood, { models: 'openai:gpt-4o-mini' });
