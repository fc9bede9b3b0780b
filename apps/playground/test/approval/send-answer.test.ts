import { expect, test } from 'vitest';
import { sendAnswer } from '../../src/approval/send-answer.ts';

test.each([
  ['accepted', async () => ({ accepted: true as const }), undefined],
  ['refused', async () => ({ accepted: false as const, reason: 'It has ended.' }), 'It has ended.'],
  [
    'lost on its way',
    () => Promise.reject(new Error('The server is away.')),
    'The answer was not sent: The server is away.',
  ],
])('an answer that is %s', async (_, respond, told) => {
  expect(await sendAnswer({ respond }, 'r1', { approve: true })).toBe(told);
});
