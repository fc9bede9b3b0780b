import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const topics = z.object({ topic: z.enum(['lighthouses', 'ferries']) });

const archive = {
  lighthouses: 'The lighthouse of Bugio stands on a round fort in the mouth of the Tagus.',
  ferries: 'Ferries have crossed the Tagus at Lisbon since long before there was a bridge.',
};

export default definePrompt('newsroom', async (prompt) => {
  prompt.defSystem(
    'role',
    'You edit a local paper. Have things looked up and written; never do it yourself.',
  );

  // An agent is a tool with a prompt of its own. Two calls in one step run side by side.
  prompt.defAgent(
    'researcher',
    'Looks up one topic; gives facts and how sure they are',
    topics,
    async ({ topic }, agent) => {
      agent.defSystem('role', 'You are a researcher. Look in the archive before you answer.');
      agent.defTool('searchArchive', 'Facts from the archive', topics, async (query) => {
        await new Promise((resolve) => setTimeout(resolve, 500)); // a slow archive
        return { facts: [archive[query.topic]] };
      });
      agent.$`Look up ${topic}.`;
    },
    // Its answer must fit this schema, and the call returns it as data.
    { responseSchema: z.object({ facts: z.array(z.string()).min(1), sure: z.boolean() }) },
  );

  prompt.defAgent(
    'writer',
    'Writes a short piece from facts',
    z.object({ headline: z.string(), facts: z.array(z.string()).min(1) }),
    async ({ headline, facts }, agent) => {
      agent.defSystem('role', 'You are a writer. Two sentences, no adjectives.');
      agent.defData('FACTS', facts);
      agent.$`Write the piece “${headline}” from <FACTS>.`;
    },
  );

  prompt.$`A piece on the river, please: lighthouses and ferries.`;
});
