import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('ask first', async (prompt) => {
  prompt.defSystem('role', 'You answer guests of a small hotel. Look up before you write.');

  prompt.defTool(
    'findBooking',
    'The booking of a guest',
    z.object({ guest: z.string() }),
    async ({ guest }) => ({ guest, room: 7, arrives: '2026-06-12', email: 'ada@example.com' }),
    { effect: 'read' },
  );

  // Mail reaches people, so the user is asked before each call, and may change the arguments or refuse.
  prompt.defTool(
    'sendMail',
    'Sends a mail to a guest',
    z.object({ to: z.email(), subject: z.string(), text: z.string() }),
    async ({ to }) => ({ sent: true, to }),
    { effect: 'external', needsApproval: true },
  );

  const guest = prompt.def('GUEST', 'Ada');
  prompt.$`Tell ${guest} that her room will be ready at noon.`;
});
