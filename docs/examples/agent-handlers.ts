import { tool } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import * as z from 'zod';

const balance = tool(
  'balance',
  'What is on an account',
  z.object({ of: z.string() }),
  ({ of }) => of.length * 100,
);
const ask = (of: string) => ({ toolCall: { name: 'balance', input: { of } } });
const model = scriptedModel(['I look.', [ask('Ada')], [ask('Grace')], '{"total":"much"}', '{"total":800}']);

// #region handlers
const bank = defineAgent({
  name: 'bank',
  instructions: 'You keep accounts.',
  model,
  tools: [balance],
  output: z.object({ total: z.number() }),
  onException: 'That is no total: {error_message} Write {"total": …} and nothing else.',
  onInterrupt: ({ call_results, remaining }) =>
    `${call_results.length} account read; you may ask ${remaining} times more.`,
  maxInterrupts: 2,
});

const { output, dialog, attempts } = await bank.call('How much do Ada and Grace have?');
console.log(output, `after ${attempts} attempts`);
for (const { role, content } of dialog.messages) console.log(`${role}: ${shown(content)}`);
// #endregion

function shown(content: ModelMessage['content']): string {
  if (typeof content === 'string') return content.replaceAll('\n\n', ' ');
  return content.map((part) => (part.type === 'text' ? part.text : part.type)).join(', ');
}
// prints: { total: 800 } after 3 attempts
// prints: user: How much do Ada and Grace have?
// prints: assistant: tool-call
// prints: tool: tool-result
// prints: user: 1 account read; you may ask 1 times more.
// prints: user: 1 account read; you may ask 0 times more. Please provide your final response.
// prints: assistant: {"total":800}
