import { definePrompt, tool } from '@cueline/core';
import * as z from 'zod';

/** Runs on the server. All its tools are client tools of the page. */
export const desk = definePrompt(
  'desk',
  (prompt) => {
    prompt.defSystem('role', 'You work at the desk of a small guesthouse.');
  },
  {
    tools: [
      // it only reads: after a reload the page asks again
      tool('pickRoom', 'Lets the guest pick a room', z.object({ rooms: z.array(z.string()) }), {
        outputSchema: z.string(),
        effect: 'read',
      }),
      // the payment may have been made when its page is closed
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
