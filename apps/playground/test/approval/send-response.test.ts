import { expect, test } from 'vitest';
import { sendResponse } from '../../src/approval/send-response.ts';

const approval = { approvalId: 'r1', toolCallId: 'c', toolName: 'pay', input: {}, requestedAt: 0 };

test.each([
  ['accepted', async () => ({ accepted: true as const }), undefined],
  ['refused', async () => ({ accepted: false as const, reason: 'It has ended.' }), 'It has ended.'],
  [
    'lost',
    () => Promise.reject(new Error('The server is away.')),
    'The response was not sent: The server is away.',
  ],
])('a response that is %s', async (_, respond, message) => {
  expect(
    await sendResponse({ respondToApproval: respond, respondToClientTool: respond }, approval, {
      approved: true,
    }),
  ).toBe(message);
});
