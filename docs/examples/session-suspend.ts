import { runAgentSession, suspend, type SessionConfig } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'askUser', input: { question: 'Window or aisle?' } } }],
  [{ toolCall: { name: 'task_complete', input: { summary: 'A seat at the window is booked.' } } }],
]);

// #region suspend
const config = {
  systemPrompt: 'You book seats.',
  tools: {
    askUser: {
      description: 'Asks the user',
      inputSchema: z.object({ question: z.string() }),
      execute: async ({ question }: { question: string }) => suspend({ question }),
    },
  },
} satisfies SessionConfig;

const asked = await runAgentSession(model, { ...config, initialMessage: 'Book me a seat.' });
const stored = JSON.stringify(asked); // days may pass
console.log(asked.completionReason, asked.suspended);
// #endregion

// #region answer
const { sessionId, messages, suspended = [] } = JSON.parse(stored) as typeof asked;
const answers = Object.fromEntries(suspended.map(({ toolCallId }) => [toolCallId, 'window']));
const booked = await runAgentSession(model, { ...config, sessionId, initialMessages: messages, answers });
console.log(booked.finalOutput);
// #endregion
// prints: payload: { question: 'Window or aisle?' }
// prints: A seat at the window is booked.
