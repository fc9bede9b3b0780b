import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const library = [
  {
    id: 'tides-1',
    title: 'How tides follow the moon',
    text: 'The moon pulls the nearer ocean more than the farther one.',
  },
  {
    id: 'tides-2',
    title: 'Why there are two tides a day',
    text: 'Earth turns under two bulges, so most coasts see two.',
  },
  {
    id: 'tides-3',
    title: 'Spring and neap tides',
    text: 'Sun and moon in line make spring tides, at right angles neap tides.',
  },
];

export default definePrompt('research notes', async (prompt) => {
  prompt.defSystem(
    'role',
    'You are a careful researcher. Think first, then search; cite every source by its id.',
  );

  prompt.defTool(
    'searchNotes',
    'Finds notes that contain a word; gives ids and titles',
    z.object({ word: z.string().min(3) }),
    async ({ word }) => {
      const found = library.filter((note) =>
        `${note.title} ${note.text}`.toLowerCase().includes(word.toLowerCase()),
      );
      return found.map(({ id, title }) => ({ id, title }));
    },
  );

  prompt.defTool(
    'readNote',
    'The text of one note',
    z.object({ id: z.string().describe('Id of a note, as searchNotes gives it') }),
    async ({ id }) => library.find((note) => note.id === id)?.text ?? `There is no note ${id}.`,
  );

  prompt.$`
    Why are some high tides higher than others?
    Use the notes, and say which ones you used.
  `;
});
