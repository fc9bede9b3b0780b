import { definePrompt, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region define
export const countLetters = definePrompt(
  'count-letters',
  (prompt, input) => {
    prompt.defSystem('role', 'You count letters, with the tool and never in your head.');
    prompt.defTool('count', 'Letters of a word', z.object({ word: z.string() }), ({ word }) => word.length);
    prompt.$`How many letters has ${prompt.def('WORD', input.word)}?`;
  },
  { input: z.object({ word: z.string() }) },
);
// #endregion

const model = scriptedModel([[{ toolCall: { name: 'count', input: { word: 'cue' } } }], 'Three.']);

// #region watch
const { run } = await runPrompt(countLetters, { model, input: { word: 'cue' } });

run.subscribe((state) => console.log(state.status, state.text)); // at most once a frame
for await (const event of run.events()) console.log(event.seq, event.type); // everything, as it happens

const state = await run.finished; // never rejects: how it ended is in state.status
console.log(state.toolCalls[0]?.output, state.usage.totalTokens > 0);
// #endregion
console.log(state.steps[0]?.request.instructions);
// prints: 0 run-start
// prints: tool-end
// prints: run-end
// prints: 3 true
// prints: <WORD>cue</WORD>
// prints: You count letters, with the tool and never in your head.
