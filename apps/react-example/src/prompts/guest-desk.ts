import { definePrompt, tool } from '@cueline/core';
import { z } from 'zod';
import { guesthouse } from '../demo/guesthouse.ts';
import { mailSchema } from '../schemas/mail.ts';

const findBooking = tool(
  'findBooking',
  'The booking of a guest, by first name',
  z.object({ guest: z.string() }),
  ({ guest }) => guesthouse.findBooking(guest),
  { effect: 'read' },
);

const listFreeRooms = tool(
  'listFreeRooms',
  'Rooms that are free on a day',
  z.object({ date: z.iso.date() }),
  ({ date }) => guesthouse.listFreeRooms(date),
  { effect: 'read' },
);

const sendMail = tool(
  'sendMail',
  'Sends a mail to a guest',
  mailSchema,
  ({ to, subject }) => guesthouse.sendMail(to, subject),
  // it reaches people, so the user approves each call
  { effect: 'external', needsApproval: true },
);

/**
 * A conversation: the user's messages come from `send`. Tools that are declared here are typed in `state.toolCalls`.
 */
export const guestDesk = definePrompt(
  'guest-desk',
  (prompt) => {
    prompt.defSystem('role', 'You work at the desk of a small guesthouse. Look things up before you write.');
  },
  { tools: [findBooking, listFreeRooms, sendMail] },
);
