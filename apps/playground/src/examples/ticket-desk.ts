import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const orders = [{ id: 'A-17', item: 'kettle', state: 'late' }];

export default definePrompt('ticket desk', async (prompt) => {
  prompt.def('STEPS_LEFT', '4');
  prompt.defSystem('role', 'You help a customer. Look first, then act; be done when STEPS_LEFT runs out.');

  prompt.defTool('findOrder', 'An order by its id', z.object({ id: z.string() }), async ({ id }) =>
    orders.find((order) => order.id === id),
  );
  prompt.defTool(
    'refund',
    'Pays an order back',
    z.object({ id: z.string(), euros: z.number().positive() }),
    async ({ id, euros }) => `${euros} € for ${id} are on their way.`,
    { effect: 'write' },
  );

  // A hook is called before each step. In this one, the model cannot pay back anything before it has looked
  // at the order, and it always knows how many steps it has left.
  prompt.defHook(({ stepNumber, steps }) => {
    const looked = steps.some((step) => step.toolCalls.some(({ toolName }) => toolName === 'findOrder'));
    return {
      activeTools: looked ? ['findOrder', 'refund'] : ['findOrder'],
      variables: { STEPS_LEFT: { type: 'string', value: String(4 - stepNumber) } },
    };
  });

  const order = prompt.def('ORDER_ID', 'A-17');
  prompt.$`My order ${order} is late. I paid 32 euros and want them back.`;
});
