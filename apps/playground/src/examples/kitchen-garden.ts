import { tool } from '@cueline/core';
import { defineSession } from '@cueline/core/agents';
import { z } from 'zod';

const beds = new Map([
  ['by the wall', 'nothing'],
  ['under the pear tree', 'nothing'],
  ['south', 'garlic'],
]);

const seeds: Record<string, string[]> = {
  March: ['broad beans'],
  April: ['peas', 'spinach', 'radishes'],
  May: ['courgettes', 'runner beans'],
};

// A session continues, turn by turn, until the model calls task_complete. Every session has that tool.
export default defineSession('kitchen garden', {
  systemPrompt: 'You look after a kitchen garden. Look before you sow, and leave no bed empty.',
  initialMessage: 'It is April. Sow what is still empty, please.',
  maxTurns: 20,
  tools: [
    tool('lookAtBeds', 'What grows in each bed', z.object({}), async () => Object.fromEntries(beds)),
    tool(
      'findSeeds',
      'What may be sown in a month',
      z.object({ month: z.enum(['March', 'April', 'May']) }),
      async ({ month }) => seeds[month],
    ),
    tool(
      'sow',
      'Sows a bed',
      z.object({ bed: z.string(), seed: z.string() }),
      async ({ bed, seed }) => {
        await new Promise((resolve) => setTimeout(resolve, 700)); // on one's knees
        beds.set(bed, seed);
        return { bed, seed, row: 'watered' };
      },
      { effect: 'write' },
    ),
  ],
});
