import { tool } from '@cueline/core';
import { defineAgent, tags } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// A scripted model, so that this runs without a key. A real one is, for example, 'openai:gpt-4o'.
const model = scriptedModel([
  [{ toolCall: { name: 'stock', input: { item: 'nails' } } }],
  'There are five of them.',
  'Sure: <answer>5</answer> <advice>Order soon.</advice>',
]);

// #region agent
const clerk = defineAgent({
  name: 'clerk',
  instructions: 'You answer for the shop.',
  model,
  tools: [
    tool('stock', 'How many of an item there are', z.object({ item: z.string() }), ({ item }) => ({
      item,
      left: 5,
    })),
  ],
  output: tags({ required: ['answer'], optional: ['advice'] }),
});

const { output, calls, attempts, dialog } = await clerk.call('How many nails are left?');
console.log(output.answer, output.advice); // string, string | undefined
console.log(calls.map(({ toolName, output }) => [toolName, output]));
console.log(`${attempts} attempts, ${dialog.messages.length} messages`);
// #endregion
// prints: 5 Order soon.
// prints: [ [ 'stock', { item: 'nails', left: 5 } ] ]
// prints: 2 attempts, 4 messages
