import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// A scripted model, so that this runs without a key. A real one is, for example,
// { provider: 'openai', model: 'gpt-4o', apiKey: process.env.OPENAI_API_KEY }, or 'openai:gpt-4o'.
const model = scriptedModel([
  [{ toolCall: { name: 'search', input: { query: 'tram 28 timetable' } } }],
  ['I have what I need.', { toolCall: { name: 'task_complete', input: { summary: 'Every 11 minutes.' } } }],
]);

// #region start
const session = runAgentSession(model, {
  systemPrompt: 'You look things up.',
  initialMessage: 'How often does tram 28 run?',
  tools: {
    search: {
      description: 'Searches the web',
      inputSchema: z.object({ query: z.string() }),
      execute: async ({ query }) => ({ found: `${query}: every 11 minutes` }),
    },
  },
});
console.log('Started', session.sessionId);

const { completionReason, totalTurns, finalOutput } = await session;
console.log(`${completionReason} in ${totalTurns} turns: ${finalOutput}`);
// #endregion
// prints: Started session-
// prints: task_complete in 2 turns: I have what I need.
