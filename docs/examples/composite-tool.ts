import { runPrompt, tool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const files = new Map<string, string>();
const model = scriptedModel([
  [
    {
      toolCall: {
        name: 'files',
        input: {
          calls: [
            { name: 'write', args: { path: 'notes.md', content: 'Buy milk' } },
            { name: 'read', args: { path: 'todo.md' } },
            { name: 'read', args: { path: 'notes.md' } },
          ],
        },
      },
    },
  ],
  'Your note is written.',
]);

const { run } = await runPrompt(
  (prompt) => {
    // #region tool
    const path = z.string();
    prompt.defTool('files', 'Work with files', [
      tool('write', 'Write a file', z.object({ path, content: z.string() }), ({ path, content }) => {
        files.set(path, content);
        return { written: content.length };
      }),
      tool('read', 'Read a file', z.object({ path }), ({ path }) => {
        const content = files.get(path);
        if (content === undefined) throw new Error(`There is no ${path}.`);
        return { content };
      }),
    ]);
    // #endregion
    prompt.$`Note down "Buy milk", and read it back to me.`;
  },
  { model },
);

// #region state
const [call] = (await run.finished).toolCalls;
for (const { name, state, output, errorText } of call?.subCalls ?? []) {
  console.log(name, state, output ?? errorText);
}
// #endregion
// prints: write output-available { written: 8 }
// prints: read output-error There is no todo.md.
// prints: read output-available { content: 'Buy milk' }
