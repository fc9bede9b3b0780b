// prints: { price: 12, currency: 'EUR' }
import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const readShop = async (_product: string): Promise<unknown> => ({ price: '12', stock: 7 });

const model = scriptedModel([
  [{ toolCall: { name: 'getOffer', input: { product: 'lamp' } } }],
  'Twelve euros.',
]);
const { run } = await runPrompt(
  (prompt) => {
    // #region tool
    prompt.defTool(
      'getOffer',
      'What a product costs',
      z.object({ product: z.string() }),
      ({ product }) => readShop(product),
      { outputSchema: z.object({ price: z.coerce.number(), currency: z.string().default('EUR') }) },
    );
    // #endregion
    prompt.$`What does a lamp cost?`;
  },
  { model },
);
const { toolCalls } = await run.finished;
console.log(toolCalls[0]?.output);
