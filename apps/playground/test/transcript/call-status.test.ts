import type { ToolCallState } from '@cueline/core';
import { expect, test } from 'vitest';
import type { Pending } from '../../src/state/pending.ts';
import { callStatus } from '../../src/transcript/calls/call-status.ts';

const call: ToolCallState = {
  toolCallId: 'c1',
  toolName: 'finishTask',
  step: 0,
  state: 'output-available',
  calledAt: 0,
  inputText: '{}',
  input: {},
  output: 'Validation failed',
};
const approval: Pending = {
  approvalId: 'a1',
  toolCallId: 'c1',
  toolName: 'finishTask',
  input: {},
  requestedAt: 0,
};

test('a call whose result the task list did not accept is not shown as done', () => {
  expect(callStatus(call, undefined, undefined)).toMatchObject({ label: 'Done', className: 'text-ok' });
  expect(callStatus(call, undefined, { kind: 'refused', reason: 'No.' })).toMatchObject({
    label: 'Not accepted',
    className: 'text-warn',
  });
});

test('a call waits for the user, and is then refused or continues', () => {
  const asked: ToolCallState = { ...call, state: 'input-available' };
  expect(callStatus(asked, approval, undefined).label).toBe('Waiting for you');
  const failed: ToolCallState = { ...call, state: 'output-error' };
  expect(callStatus(failed, { ...approval, response: { approved: false } }, undefined).label).toBe('Refused');
  expect(callStatus(call, { ...approval, response: { approved: true } }, undefined).label).toBe('Done');
});
