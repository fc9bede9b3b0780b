import { createRun, definePrompt } from '@cueline/core';
import { editLog } from '@cueline/core/replay';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region retry
const order = definePrompt('order', (prompt) => {
  prompt.defTool('book', 'Books a table', z.object({ seats: z.number() }), ({ seats }) => {
    console.log('booking', seats);
    return { booked: true };
  });
  prompt.$`Book a table for four, then write to the guests.`;
});
const model = scriptedModel([
  [{ toolCall: { name: 'book', input: { seats: 4 } } }],
  [{ throw: 'The line is dead.' }],
  'Dear guests: a table is booked.',
  'Hello all, dinner at eight!',
  'Sorry, there is no table left.',
]);

const run = createRun(order, { model });
await run.start().catch((error: Error) => console.log(error.message)); // after the table was booked

console.log(await run.retry()); // continues after that step: the table is not booked again
// #endregion

// #region at
const booked = run.log().findLast((event) => event.type === 'tool-end');
console.log(run.at(booked?.seq ?? -1).toolCalls[0]?.output); // the state at that moment

const other = run.fork(run.log().findLast((event) => event.type === 'step-end' && event.step === 0)?.seq);
console.log(await other.retry()); // another letter; the first one stays as it is
console.log(run.getState().text);
// #endregion

// #region edit
const { toolCallId = '' } = run.getState().toolCalls[0] ?? {};
const log = editLog(run.log(), { step: 0, toolCallId, output: { booked: false } });
const edited = createRun(order, { model, log });
console.log(await edited.retry({ from: 1 })); // what follows; the table is not booked again
// #endregion
// prints: booking 4
// prints: The line is dead.
// prints: Dear guests: a table is booked.
// prints: { booked: true }
// prints: Hello all, dinner at eight!
// prints: Dear guests: a table is booked.
// prints: Sorry, there is no table left.
