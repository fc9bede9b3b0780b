import { definePlugin, definePrompt } from '@cueline/core';
import { z } from 'zod';

// A plugin is a set of definitions to share. What setup returns becomes part of prompt, with its types.
const memory = definePlugin({
  name: 'memory',
  setup(prompt) {
    const notes = new Map<string, string>();
    prompt.defSystem('memory', 'Keep what you learn about people with remember; look with recall.');
    prompt.defTool(
      'recall',
      'What is known about a person',
      z.object({ person: z.string() }),
      ({ person }) => {
        return notes.get(person) ?? `Nothing is known about ${person} yet.`;
      },
    );
    prompt.defTool(
      'remember',
      'Keeps a note about a person',
      z.object({ person: z.string(), note: z.string() }),
      ({ person, note }) => {
        notes.set(person, note);
        return { kept: note };
      },
      { effect: 'write' },
    );
    return {
      /** A note that is there from the start. */
      defNote: (person: string, note: string) => void notes.set(person, note),
    };
  },
});

export default definePrompt(
  'memory',
  async (prompt) => {
    prompt.defNote('Grace', 'Drinks her coffee black.');
    const person = prompt.def('PERSON', 'Grace');
    prompt.$`What does ${person} drink? And note this: “likes a seat by the window”.`;
  },
  { plugins: [memory] },
);
