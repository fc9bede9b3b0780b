import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const boxes = { kitchen: 14, books: 22, tools: 6 };

export default definePrompt('moving house', async (prompt) => {
  prompt.defSystem('role', 'You plan a move. Do one task after the other.');

  // The run does not end before each task has a result that its validation accepts.
  prompt.defTaskList([
    {
      task: 'Count the boxes and say how many there are in all',
      extend: (task) => {
        // What is defined here exists for this task only.
        task.defTool(
          'countBoxes',
          'Boxes in a room',
          z.object({ room: z.enum(['kitchen', 'books', 'tools']) }),
          ({ room }) => ({
            room,
            boxes: boxes[room],
          }),
        );
      },
      validation: (result) => (result.includes('42') ? undefined : 'There are exactly "42" boxes in all.'),
    },
    {
      task: 'Pick a van that takes all boxes',
      extend: (task) => {
        task.defTool('findVans', 'Vans that can be rented', z.object({}), () => [
          { van: 'small', boxes: 25, euros: 40 },
          { van: 'large', boxes: 60, euros: 65 },
        ]);
      },
    },
    {
      task: 'Write a message to the friends who help',
      validation: (result) => {
        const words = result.split(/\s+/).length;
        return words < 12 ? `Write at least 12 words, these are ${words}.` : undefined;
      },
    },
  ]);

  prompt.$`Help me move on Saturday.`;
});
