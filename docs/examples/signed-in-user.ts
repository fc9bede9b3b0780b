import { createRun, definePrompt, remotePrompt, viaRoute } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import * as z from 'zod';

const sessions = new Map([['session-of-ada', { userId: 'ada' }]]);
const orders = new Map([
  ['ada', ['A lamp, on its way']],
  ['grace', ['A desk, delivered']],
]);

// #region prompt
export const support = definePrompt(
  'support',
  (prompt, { question, userId }) => {
    prompt.defTool('listOrders', 'Lists the orders of the customer', z.object({}), () => orders.get(userId));
    prompt.$`${question}`;
  },
  {
    // a page sends the question alone
    input: z.object({ question: z.string().max(2_000), userId: z.string().default('') }),
  },
);
// #endregion

const model = scriptedModel([[{ toolCall: { name: 'listOrders', input: {} } }], 'Your lamp is on its way.']);

// #region route
const route = createPromptRoute(support, {
  model,
  origins: ['https://shop.example'],
  auth: (request) => {
    const session = sessions.get(request.headers.get('authorization') ?? '');
    return session === undefined ? null : { subject: session.userId };
  },
  // written over whatever the client sent
  accept: ({ input, subject }) => ({ input: { ...(input as object), userId: subject } }),
});
// #endregion

const run = createRun(remotePrompt<typeof support>('support'), {
  executor: viaRoute('https://shop.example/api/support', {
    headers: { authorization: 'session-of-ada' },
    fetch: route,
  }),
});
// somebody who says to be somebody else
await run.start({ question: 'Where is my order?', userId: 'grace' });
const [call] = run.getState().toolCalls;
console.log(call?.output, run.getState().text);
// prints: [ 'A lamp, on its way' ] Your lamp is on its way.
