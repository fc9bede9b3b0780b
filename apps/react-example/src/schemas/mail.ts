import { z } from 'zod';

/** A mail, as the model writes it and as the user may edit it before it is sent. */
export const mailSchema = z.object({
  to: z.email('Give an e-mail address.'),
  subject: z.string().min(1, 'Give a subject.'),
  text: z.string().min(1, 'Write something.'),
});
