import { tool } from '@cueline/core';
import { defineSession } from '@cueline/core/agents';
import { z } from 'zod';

const pages = [
  '3 March, Lisbon. Loaded cork and forty barrels of wine. Two new hands, and the cook says that he has seen mice ' +
    'in the flour. Wind north, fair.',
  '9 March, Funchal. Watered. A grey cat came up the gangway behind the pilot and would not go down again. The cook ' +
    'gave her a sardine. She is called Pilot now.',
  '2 April, at sea. Nine days of calm. Pilot sleeps in the chart drawer, on the Azores. No mice since Sunday.',
  '20 April, Horta. Mended the foresail. Pilot went ashore for a night, and came back with a scratched ear.',
  '11 May, Bristol. Sold the wine, all but one barrel. Pilot sat on the customs officer’s hat until he signed.',
  '14 May, Bristol. The harbour master’s daughter asked for the cat, and the cat had asked for her. So Pilot stays. ' +
    'The crew was quiet at dinner.',
];

// Above this number of tokens, the conversation is summarized, and the session continues with the summary. A
// real limit is about a hundred times as high.
export default defineSession('ship’s cat', {
  systemPrompt: 'You read an old ship’s log, page by page, and answer questions about it.',
  initialMessage: 'Where did the cat come aboard, and where did she leave? The log has 6 pages.',
  tokenLimit: 340,
  tools: [
    tool(
      'readPage',
      'A page of the log',
      z.object({ page: z.int().min(1).max(6) }),
      async ({ page }) => pages[page - 1],
    ),
  ],
});
