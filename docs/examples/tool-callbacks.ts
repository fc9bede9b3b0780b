import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'getRate', input: { currency: 'USD' } } }],
  [{ toolCall: { name: 'getRate', input: { currency: 'XAU' } } }],
  'A euro is 1.08 dollars. I found no rate for gold.',
]);
const known = new Map([['USD', 1.08]]);

const { run } = await runPrompt(
  (prompt) => {
    // #region tool
    prompt.defTool(
      'getRate',
      'What a euro costs in another currency',
      z.object({ currency: z.string().length(3) }),
      ({ currency }) => fetchRate(currency),
      {
        beforeCall: ({ currency }) => known.get(currency),
        onSuccess: ({ currency }, rate) => void known.set(currency, rate as number),
        onError: ({ currency }, error) => `No rate for ${currency}: ${(error as Error).message}`,
      },
    );
    // #endregion
    prompt.$`What does a euro cost in dollars, and in gold?`;
  },
  { model },
);

for (const { output } of (await run.finished).toolCalls) console.log(output);

async function fetchRate(currency: string): Promise<number> {
  throw new Error(`the service does not list ${currency}`);
}
// prints: 1.08
// prints: No rate for XAU: the service does not list XAU
