// on the server
import { definePrompt, tool } from '@cueline/core';
import { z } from 'zod';

// #region prompt
export const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.defSystem('role', 'You plan days for guests of a small hotel.');
    prompt.$`Plan a day in ${city}.`;
  },
  {
    input: z.object({ city: z.string() }),
    output: z.object({ stops: z.array(z.string()) }),
    tools: [
      tool(
        'findTables',
        'Free tables in the restaurants that pay us',
        z.object({ at: z.string() }),
        ({ at }) => (at === '13:00' ? ['Tasca'] : []),
      ),
      // without a function: the page has it
      tool('askGuest', 'Asks the guest a question', z.object({ question: z.string() }), {
        outputSchema: z.string(),
      }),
    ],
  },
);
// #endregion
