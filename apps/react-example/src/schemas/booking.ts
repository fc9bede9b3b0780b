import { z } from 'zod';

/** One schema for the model's answer and for the user's edits. */
export const bookingSchema = z
  .object({
    guest: z.string().min(1, 'Who is it for?'),
    email: z.email('This is not an e-mail address.'),
    arrival: z.iso.date('Give a date.'),
    departure: z.iso.date('Give a date.'),
    guests: z.number('Give a number.').int().min(1, 'At least one.').max(6, 'The house takes six at most.'),
    room: z.enum(['garden', 'sea', 'attic']),
    wishes: z.string(),
  })
  .refine(({ arrival, departure }) => arrival < departure, {
    path: ['departure'],
    message: 'Departure is after arrival.',
  });

export type Booking = z.infer<typeof bookingSchema>;
