import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const paid = new Set<string>();
let answerAtLast = (): void => {};

/** A service that knows idempotency keys: with the same key, the second request changes nothing. Its answer is late. */
function pay(cents: number, idempotencyKey: string): Promise<{ paid: number }> {
  paid.add(idempotencyKey);
  return new Promise((resolve) => (answerAtLast = () => resolve({ paid: cents })));
}

const checkOut = definePrompt('check-out', (prompt) => {
  // #region tool
  prompt.defTool(
    'pay',
    'Pays an amount',
    z.object({ cents: z.int() }),
    ({ cents }, { idempotencyKey }) => pay(cents, idempotencyKey),
    { effect: 'external' },
  );
  // #endregion
  prompt.$`Pay 12 euros.`;
});
const model = scriptedModel([
  [{ toolCall: { name: 'pay', input: { cents: 1_200 } } }],
  'I do not know whether the payment went through. Look at your account before you pay again.',
]);

const run = createRun(checkOut, { model });
const started = new Promise<void>((resolve) => {
  run.listen(({ type }) => {
    if (type === 'tool-start') resolve();
  });
});
void run.start().catch(() => {});
await started;
const stored = run.log().slice();
run.stop(); // the server is killed before the answer
answerAtLast();

// #region retry
const again = createRun(checkOut, { model, log: stored });
console.log(await again.retry());
console.log(again.getState().toolCalls[0]?.errorText?.split('.')[0]);
// #endregion
console.log('payments:', paid.size);
// prints: I do not know whether the payment went through.
// prints: This call was interrupted before its end
// prints: payments: 1
