import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import * as z from 'zod';

const pages = { toolCall: { name: 'read', input: { page: 'harbour' } } };
const model = scriptedModel([
  ['I begin with the harbour.', { toolCall: { name: 'read', input: { page: 'castle' } } }],
  [pages],
  'The castle page was read: 40 rooms.', // the summary, which the same model is asked for
  [{ toolCall: { name: 'task_complete', input: { summary: 'A castle and a harbour.' } } }],
]);
const read = {
  description: 'Reads a page',
  inputSchema: z.object({ page: z.string() }),
  execute: async ({ page }: { page: string }) => `${page}: `.padEnd(2_000, '-'),
};

// #region keep
let recent: ModelMessage[] = [];
const { messages } = await runAgentSession(model, {
  systemPrompt: 'You read about Lisbon.',
  tools: { read },
  tokenLimit: 1_000,
  callbacks: {
    onBeforeSummarize(_id, messages) {
      recent = messages.slice(-2); // these stay as they are
      return messages.slice(0, -2);
    },
    onAfterSummarize: (_id, summary) => [...summary, ...recent],
  },
});
console.log(messages.slice(0, 4).map(({ role }) => role));
console.log(messages[1]?.content);
// #endregion
// prints: [ 'user', 'assistant', 'assistant', 'tool' ]
// prints: The castle page was read: 40 rooms.
