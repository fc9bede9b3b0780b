import { definePrompt } from '@cueline/core';
import { classify } from '@cueline/core/agents';
import { z } from 'zod';

const mails = [
  'My teapot came without its lid. Could you send one?',
  'Thank you for the tea! My grandmother says that it tastes as it did in Goa.',
  'Do you have the smoked one in bags of a kilo?',
  'Third time that the parcel went to my neighbour. He is getting fond of your tea.',
];
const trays = ['question', 'complaint', 'praise'] as const;

export default definePrompt('mail desk', async (prompt) => {
  prompt.defSystem('role', 'You mind the mail of a tea shop. Sort it first, then say what is urgent.');

  prompt.defTool('sortMail', 'Puts each new mail into its tray', z.object({}), async (_args, context) => {
    // Each is a call of its own that answers with one of the labels. With this context it belongs to the run.
    const sorted = mails.map(async (mail) => {
      const { label } = await classify(mail, trays, {
        instructions: 'You sort the mail of a tea shop.',
        context,
      });
      return { tray: label, mail };
    });
    return Promise.all(sorted);
  });

  prompt.$`What came in today?`;
});
