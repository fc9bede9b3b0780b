import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const pantry = ['rice', 'two leeks', 'a lemon', 'parmesan'];

export default definePrompt('own plan', async (prompt) => {
  prompt.defSystem('role', 'You cook with what is there. Make a plan first, then follow it.');

  // The model writes its own list. While it works, you can add to the list, skip, rename and remove.
  prompt.defDynamicTaskList();

  prompt.defTool('lookInPantry', 'What is in the pantry', z.object({}), async () => pantry, {
    effect: 'read',
  });

  prompt.defTool(
    'findRecipes',
    'Recipes with an ingredient',
    z.object({ ingredient: z.enum(['rice', 'leeks', 'lemon']) }),
    async ({ ingredient }) => [`Risotto with ${ingredient}`, `Soup with ${ingredient}`],
    { effect: 'read' },
  );

  prompt.$`
    - Look in the pantry
    - Find recipes for what is there
    - Write down what to buy
  `;
});
