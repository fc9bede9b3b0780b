import assert from 'node:assert/strict';
import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region test
const model = scriptedModel([
  [{ reasoning: 'I need the sum.' }, { toolCall: { name: 'add', input: { a: 2, b: 3 } } }],
  [{ text: 'It is 5.', chunkSize: 2 }],
]);
const { run } = await runPrompt(
  (prompt) => {
    prompt.defTool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b);
    prompt.$`What is 2 + 3?`;
  },
  { model },
);
const state = await run.finished;

assert.equal(state.text, 'It is 5.');
assert.equal(state.toolCalls[0]?.output, 5);
assert.equal(model.calls.length, 2); // what the model was sent, call by call
// #endregion

// #region failure
const failing = scriptedModel([[{ throw: { message: 'no credit left', status: 402 } }]]);
const failed = await runPrompt((prompt) => prompt.$`Hi.`, { model: failing, options: { maxRetries: 0 } });
const end = await failed.run.finished;
console.log(end.status === 'error' && end.error.message);
// #endregion
// prints: no credit left
