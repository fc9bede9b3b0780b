import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const prices = new Map([
  ['lamp', 20],
  ['desk', 120],
]);
const model = scriptedModel([
  [
    { toolCall: { name: 'getPrice', input: { product: 'lamp' } } },
    { toolCall: { name: 'getPrice', input: { product: 'sofa' } } },
  ],
  'A lamp is 20 euros. There are no sofas.',
]);

const { run } = await runPrompt(
  (prompt) => {
    // #region tool
    prompt.defTool(
      'getPrice',
      'Price of a product, in euros',
      z.object({ product: z.string().describe('as on its label, in the singular') }),
      async ({ product }, { abortSignal }) => {
        const price = await lookUp(product, abortSignal);
        if (price === undefined) throw new Error(`There is no ${product}. There are: lamp, desk.`);
        return { product, price };
      },
      { effect: 'read', timeoutMs: 5_000 },
    );
    // #endregion
    prompt.$`What do a lamp and a sofa cost?`;
  },
  { model },
);

// #region state
const { toolCalls } = await run.finished;
for (const { input, output, errorText } of toolCalls) console.log(input, output ?? errorText);
// #endregion

async function lookUp(product: string, signal?: AbortSignal): Promise<number | undefined> {
  signal?.throwIfAborted();
  return prices.get(product);
}
// prints: { product: 'lamp' } { product: 'lamp', price: 20 }
// prints: { product: 'sofa' } Error: There is no sofa. There are: lamp, desk.
