import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'search', input: { query: 'gift for a gardener' } } }],
  [{ toolCall: { name: 'order', input: { product: 'watering can' } } }],
  'I ordered a watering can.',
]);

const { run } = await runPrompt(
  (prompt) => {
    prompt.def('BUDGET', '30 euros');
    prompt.defTool(
      'search',
      'Searches the shop',
      z.object({ query: z.string() }),
      () => 'watering can, 12 €',
    );
    prompt.defTool('order', 'Orders a product', z.object({ product: z.string() }), () => 'ordered');
    // #region hooks
    // look before you buy
    prompt.defHook(({ stepNumber }) => (stepNumber === 0 ? { activeTools: ['search'] } : undefined));
    // what is left of the budget, from the second step on
    prompt.defHook(({ stepNumber }) =>
      stepNumber === 1 ? { variables: { BUDGET: { type: 'string', value: '18 euros' } } } : {},
    );
    // the first message, and the last four
    prompt.defHook(({ messages }) => ({
      messages: [...messages.slice(0, 1), ...messages.slice(1).slice(-4)],
    }));
    // #endregion
    prompt.$`Find and order a gift for a gardener.`;
  },
  { model },
);

for (const { request } of (await run.finished).steps) {
  const budget = /<BUDGET>(.*)<\/BUDGET>/.exec(request.instructions)?.[1];
  console.log(request.tools.map(({ name }) => name).join(' and '), budget, request.messages.length);
}
// prints: search 30 euros 1
// prints: search and order 18 euros 3
// prints: search and order 18 euros 5
