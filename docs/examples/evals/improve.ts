import { contains, defineEval, improve } from '@cueline/core/evals';
import { createPromptLibrary } from '@cueline/core/library';
import { readCases, saveDraft } from '@cueline/evals';

const file = new URL('prompts/mood.json', import.meta.url);
const library = await createPromptLibrary(file);
const mood = defineEval({
  prompt: library.definePrompt('mood', { model: 'openai:gpt-4o-mini' }),
  cases: readCases<{ TEXT: string }>(new URL('cases.csv', import.meta.url)),
  scorers: [contains()],
});

const { winner, front } = await improve(mood, {
  library,
  reflection: 'openai:gpt-4o',
  budget: { runs: 200 },
});
for (const { prompt, train } of front) console.log(prompt.version, train.score, train.tokens);
if (winner !== undefined) saveDraft(file, winner);
