import { definePrompt, tool } from '@cueline/core';
import { z } from 'zod';

const files = new Map([
  ['todo.md', '- water the tomatoes\n- mend the gate'],
  ['garden.md', 'Tomatoes by the south wall, beans by the gate.'],
]);

export default definePrompt('file notes', async (prompt) => {
  prompt.defSystem('role', 'You keep a small folder of notes. Ask for all that you need in one call.');

  // A composite tool: the model makes several calls at once, and each gets a result of its own.
  prompt.defTool('notes', 'Reads, writes and lists notes', [
    tool('list', 'Names of all notes', z.object({}), async () => [...files.keys()]),
    tool('read', 'The text of a note', z.object({ path: z.string() }), async ({ path }) => read(path)),
    tool(
      'append',
      'Adds a line to a note',
      z.object({ path: z.string(), line: z.string() }),
      async ({ path, line }) => {
        files.set(path, `${read(path)}\n${line}`);
        return { path, lines: read(path).split('\n').length };
      },
      { effect: 'write' },
    ),
  ]);

  prompt.$`
    What is left to do in todo.md? Add "pick the beans" to it,
    and see what diary.md says about yesterday.
  `;
});

// One call that fails does not stop the others.
function read(path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`There is no ${path}. There are: ${[...files.keys()].join(', ')}.`);
  return text;
}
