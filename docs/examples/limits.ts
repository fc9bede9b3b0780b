import { runPrompt, type Prompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region prompt
const ask = (prompt: Prompt): void => {
  prompt.defTool('getPrice', 'Price of a product', z.object({ product: z.string() }), () => '20 euros', {
    effect: 'read',
  });
  prompt.$`What does a lamp cost?`;
};
const again = [{ toolCall: { name: 'getPrice', input: { product: 'lamp' } } }];
// #endregion

// #region time
const patient = await runPrompt(ask, {
  model: scriptedModel([[{ throw: { message: 'Busy.', status: 503 } }], 'It costs 20 euros.']),
  options: { timeout: { firstChunkMs: 300_000 }, maxRetries: 4 },
});
for await (const event of patient.run.events()) {
  if (event.type === 'retry')
    console.log(`attempt ${event.attempt} of ${event.maxAttempts}: ${event.error.code}`);
}
// #endregion

// #region loop
const looping = await runPrompt(ask, { model: scriptedModel([again, again, again, 'It costs 20 euros.']) });
for (const { output, errorText } of (await looping.run.finished).toolCalls) console.log(output ?? errorText);
// #endregion

// #region loop-rules
const polling = await runPrompt(ask, {
  model: scriptedModel([again, again, again, 'It costs 20 euros.']),
  options: { loopGuard: { endAt: 10, tools: { getPrice: { answerFrom: 3 } } } },
});
for (const { output, repeated = false } of (await polling.run.finished).toolCalls)
  console.log(output, repeated);
// #endregion

// #region limit
const { run } = await runPrompt(ask, {
  model: scriptedModel([again, 'It costs 20 euros.']),
  options: { limits: { steps: 1 } },
});
const end = await run.finished;
if (end.status === 'error') console.log(end.error.code, end.error.message);
// #endregion
// prints: attempt 2 of 5: overloaded
// prints: 20 euros
// prints: getPrice was not run: this is call 3 with the same arguments.
// prints: 20 euros false
// prints: 20 euros false
// prints: 20 euros true
// prints: budget_exceeded The run has called the model once, its agents included.
