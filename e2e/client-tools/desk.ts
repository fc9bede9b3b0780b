import { definePrompt, tool } from '@cueline/core';
import * as z from 'zod';

/** Runs on the server; each of its tools is the page's. */
export const desk = definePrompt(
  'desk',
  (prompt) => {
    prompt.defSystem('role', 'You work at the desk of a small guesthouse.');
  },
  {
    tools: [
      // it only reads: after a reload it is asked again
      tool('pickRoom', 'Lets the guest pick a room', z.object({ rooms: z.array(z.string()) }), {
        outputSchema: z.string(),
        effect: 'read',
      }),
      // it may have been paid when its page is gone
      tool('payDeposit', 'Has the guest pay a deposit', z.object({ euros: z.number() }), {
        outputSchema: z.string(),
      }),
      tool('confirm', 'Has the guest confirm, quickly', z.object({}), {
        outputSchema: z.string(),
        timeoutMs: 1_500,
      }),
    ],
  },
);
