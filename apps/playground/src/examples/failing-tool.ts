import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('failing tool', async (prompt) => {
  const stock: Record<string, number> = { 'tea-green': 12, 'tea-black': 0 };
  let attempts = 0;

  prompt.defSystem('role', 'You work in a tea shop. When a tool fails, say so and try again.');

  prompt.defTool(
    'countStock',
    'How many packets of a product are left',
    z.object({ product: z.enum(['tea-green', 'tea-black']) }),
    async ({ product }) => {
      attempts += 1;
      // The model reads what a tool throws, and the run continues.
      if (attempts === 1) throw new Error('The till has locked the list. Try again.');
      return { product, packets: stock[product] };
    },
  );

  prompt.defTool(
    'orderMore',
    'Orders packets of a product from the supplier',
    z.object({ product: z.string(), packets: z.number().int().min(1).max(50) }),
    async ({ product, packets }) => `Ordered ${packets} × ${product}; arrives on Thursday.`,
  );

  prompt.$`Do we have black tea? If there is none left, order 20 packets.`;
});
