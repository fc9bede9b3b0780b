import { definePlugin, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region plugin
/** Terms that the model may look up, so that not all of them stand in every prompt. */
const glossary = definePlugin({
  name: 'glossary',
  setup(prompt) {
    const meanings = new Map<string, string>();
    prompt.defTool('lookUpTerm', 'What a term of ours means', z.object({ term: z.string() }), ({ term }) => {
      return meanings.get(term) ?? `No such term. There are: ${[...meanings.keys()].join(', ')}.`;
    });
    return {
      defTerm(term: string, meaning: string): string {
        meanings.set(term, meaning);
        return term;
      },
    };
  },
});
// #endregion

const model = scriptedModel([
  [{ toolCall: { name: 'lookUpTerm', input: { term: 'cold run' } } }],
  'Start it without a cache.',
]);

// #region use
const { run } = await runPrompt(
  (prompt) => {
    const term = prompt.defTerm('cold run', 'a run that starts without a cache');
    prompt.$`How do I make a ${term}?`;
  },
  { model, options: { plugins: [glossary] } },
);
// #endregion

console.log((await run.finished).toolCalls[0]?.output);
// prints: a run that starts without a cache
