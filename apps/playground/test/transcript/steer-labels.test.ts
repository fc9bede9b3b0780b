import { expect, test } from 'vitest';
import { steerLabel } from '../../src/transcript/steer-labels.ts';

test('a message to the model is labelled by its sender and its cause', () => {
  const after = ['calls', 'answer', 'failure'] as const;
  expect(after.map((one) => steerLabel({ cause: 'session', after: one }))).toEqual([
    'Sent by the session',
    'Nudged: no tool was called',
    'Sent by the session',
  ]);
  expect(after.map((one) => steerLabel({ cause: 'correction', after: one }))).toEqual([
    'Sent back: the answer cannot be used',
    'Sent back: the answer cannot be used',
    'Informed of the failure',
  ]);
  expect(steerLabel({ cause: 'call', after: 'calls' })).toBe('Sent after the tool calls');
  expect(steerLabel({ cause: 'tasks', after: 'answer' })).toBe('Reminded: tasks are open');
});
