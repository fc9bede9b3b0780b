import { definePrompt } from '@cueline/core';
import { z } from 'zod';
import { bookingSchema } from '../schemas/booking.ts';

/** Reads a booking from a letter: an answer with a schema, which is `object` while it arrives and then `result`. */
export const readBooking = definePrompt(
  'read-booking',
  (prompt, { letter }) => {
    prompt.defSystem('role', 'You turn letters into bookings. Copy what is there; never guess.');
    prompt.$`The letter:\n\n${letter}`;
  },
  { input: z.object({ letter: z.string().max(20_000) }), output: bookingSchema },
);
