import { createRun, definePrompt, tool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region declare
const readNotes = definePrompt('read-notes', (prompt) => prompt.$`What is in my notes?`, {
  tools: [
    tool('pickFile', 'Lets the user pick a file', z.object({ types: z.array(z.string()) }), {
      outputSchema: z.object({ name: z.string(), text: z.string() }),
      effect: 'read',
    }),
  ],
});
// #endregion

const model = scriptedModel([
  [{ toolCall: { name: 'pickFile', input: { types: ['.md'] } } }],
  'You have to buy milk.',
]);

// #region answer
const run = createRun(readNotes, {
  model,
  tools: {
    pickFile: async ({ types }, { signal }) => {
      const file = await openPicker(types, signal);
      return { name: file.name, text: await file.text() };
    },
  },
});
console.log(await run.start());
// #endregion

async function openPicker(_types: string[], _signal: AbortSignal): Promise<File> {
  return new File(['Buy milk.'], 'notes.md');
}

// prints: You have to buy milk.
