import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'readReceipt', input: { text: 'Kiosk, 2 coffees, 3,80 EUR' } } }],
  'You paid 3.80 euros.',
]);
const readerModel = scriptedModel([
  '{ "shop": "Kiosk", "total": "3,80" }',
  '{ "shop": "Kiosk", "total": 3.8 }',
]);

const { run } = await runPrompt(
  (prompt) => {
    // #region agent
    prompt.defAgent(
      'readReceipt',
      'Reads a receipt',
      z.object({ text: z.string() }),
      ({ text }, prompt) => prompt.$`What shop is this receipt from, and what is the total? ${text}`,
      { model: readerModel, responseSchema: z.object({ shop: z.string(), total: z.number() }) },
    );
    // #endregion
    prompt.$`How much did I pay? Kiosk, 2 coffees, 3,80 EUR`;
  },
  { model },
);

const { toolCalls, agents } = await run.finished;
console.log(toolCalls[0]?.output);
console.log(agents[0]?.steps[1]?.steered?.[0]?.text);
// prints: { shop: 'Kiosk', total: 3.8 }
// prints: Your answer does not fit what is asked for: total: Invalid input: expected number, received string
