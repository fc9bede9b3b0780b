import { tool } from '@cueline/core';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const add = tool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b);
const model = scriptedModel([
  ['Let me see.', { toolCall: { name: 'add', input: { a: 2, b: 3 } } }],
  [{ toolCall: { name: 'task_complete', input: { summary: 'It is 5.', result: { sum: 5 } } } }],
]);

// #region callbacks
const result = await runAgentSession(model, {
  sessionId: 'sum-1',
  systemPrompt: 'You calculate.',
  initialMessage: 'What is 2 + 3?',
  tools: [add],
  callbacks: {
    onTurnStart: (_id, turn) => console.log(`turn ${turn}`),
    onAssistantMessage: (_id, text) => console.log(`says: ${text}`),
    onToolCall: (_id, { toolName, input }) => console.log('calls', toolName, input),
    onToolResult: (_id, { toolName, output }) => console.log('gets', toolName, output),
    onError: (_id, { phase, error }) => console.log('fails', phase, error.message),
    onMessagesUpdate: (_id, messages) => console.log(`${messages.length} messages`),
    onComplete: (_id, { completionReason }) => console.log(completionReason),
  },
});
console.log(result.taskResult);
// #endregion
// prints: says: Let me see.
// prints: calls add { a: 2, b: 3 }
// prints: 2 messages
// prints: gets add 5
// prints: 3 messages
// prints: turn 2
// prints: task_complete
// prints: { sum: 5 }
