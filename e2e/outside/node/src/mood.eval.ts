// An eval in somebody else's project: the command finds it, and needs no key.
import { defineEval, triad } from '@cueline/core/evals';
import { createPromptLibrary } from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';
import { describeEval } from '@cueline/evals';

const library = createPromptLibrary([
  {
    id: 'mood',
    version: '1.0.0',
    name: 'Mood of a text',
    userPrompt: 'Classify as POSITIVE or NEGATIVE: {TEXT}',
    userPromptParameters: [{ name: 'TEXT', type: 'string' }],
  },
]);

const mood = defineEval({
  prompt: library.definePrompt('mood'),
  cases: triad({
    base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
    same: { TEXT: 'I am joyful' },
    different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
  }),
});

describeEval(mood, { models: scriptedModel(['POSITIVE', 'POSITIVE', 'NEGATIVE']), concurrency: 1 });
