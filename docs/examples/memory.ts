import { runPrompt } from '@cueline/core';
import { memory } from '@cueline/core/plugins';
import { scriptedModel } from '@cueline/core/testing';

// #region memory
const notes = memory(); // in a page: memory({ store: webStorage(localStorage) })

const model = scriptedModel([
  [{ toolCall: { name: 'remember', input: { key: 'diet', value: 'Ada eats no meat.' } } }],
  'Noted.',
  [{ toolCall: { name: 'recall', input: { key: 'diet' } } }],
  'How about the vegetable curry?',
]);
const options = { plugins: [notes] };

const first = await runPrompt((prompt) => prompt.$`I do not eat meat.`, { model, options });
await first.run.finished;

const { run } = await runPrompt(
  async (prompt) => {
    await prompt.remember('town', 'Ada lives in Faro.'); // a note of yours
    prompt.$`What shall I eat tonight?`;
  },
  { model, options },
);
const { steps, toolCalls, text } = await run.finished;
// #endregion
console.log(steps[0]?.request.instructions);
console.log(toolCalls[0]?.output, text);
// prints: There are: "diet", "town".
// prints: Ada eats no meat. How about the vegetable curry?
