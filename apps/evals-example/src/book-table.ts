import { definePrompt } from '@cueline/core';
import { z } from 'zod';

/** Books a table for a guest who asks in their own words. */
export const bookTable = definePrompt(
  'book-table',
  (prompt, { request }: { request: string }) => {
    prompt.defSystem(
      'role',
      'You book tables in the hotel restaurant. Book once, then confirm in one sentence.',
    );
    prompt.defTool(
      'bookTable',
      'Books a table',
      z.object({ day: z.string(), time: z.string(), guests: z.int() }),
      ({ day, time, guests }) => ({ booked: true, table: guests > 4 ? 'terrace' : 'window', day, time }),
    );
    prompt.$`${prompt.def('REQUEST', request)}`;
  },
  { input: z.object({ request: z.string() }) },
);
