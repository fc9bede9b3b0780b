import type { UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { approvalsIn, outputsIn, tasksIn, toTurns } from '../../src/chat/chat-turns.ts';

const pay = { type: 'tool-pay', toolCallId: 'c', input: { amount: 5 } } as const;

const answer = (...parts: object[]): UIMessage => ({
  id: 'a',
  role: 'assistant',
  parts: parts as UIMessage['parts'],
});

test('the approvals of a message are the open and answered ones, without those marked as paused', () => {
  const message = answer(
    { ...pay, state: 'approval-requested', approval: { id: 'open' } },
    { ...pay, state: 'approval-responded', approval: { id: 'yes', approved: true } },
    { ...pay, state: 'approval-responded', approval: { id: 'no', approved: false, reason: 'late' } },
    { ...pay, state: 'approval-responded', approval: { id: 'mark', approved: true, isAutomatic: true } },
    { ...pay, state: 'output-available', output: 1, approval: { id: 'over', approved: true } },
    { type: 'text', text: 'Well.' },
  );
  expect([...approvalsIn(message)]).toEqual([
    ['open', undefined],
    ['yes', { approved: true }],
    ['no', { approved: false, reason: 'late' }],
  ]);
  expect(approvalsIn({ ...message, role: 'user' }).size).toBe(0);
  expect(approvalsIn(undefined).size).toBe(0);
});

test('the results of a message are complete, from its last step, and not from the provider', () => {
  const message = answer(
    { type: 'step-start' },
    { ...pay, toolCallId: 'before', state: 'output-available', output: 0 },
    { type: 'step-start' },
    { ...pay, state: 'output-available', output: 1 },
    { ...pay, toolCallId: 'fails', state: 'output-error', errorText: 'No.' },
    { ...pay, toolCallId: 'goes on', state: 'output-available', output: 1, preliminary: true },
    { ...pay, toolCallId: 'search', state: 'output-available', output: 1, providerExecuted: true },
    { ...pay, toolCallId: 'waits', state: 'input-available' },
  );
  expect([...outputsIn(message)]).toEqual([
    ['c', { output: 1 }],
    ['fails', { error: 'No.' }],
  ]);
  expect(outputsIn({ ...message, role: 'user' }).size).toBe(0);
});

test.each<[string, object, object | undefined]>([
  [
    'a call that has run keeps its result',
    { ...pay, state: 'output-available', output: 1, approval: { id: 'r', approved: true } },
    { ...pay, state: 'output-available', output: 1 },
  ],
  [
    'a refused call is marked as refused',
    { ...pay, state: 'output-denied', approval: { id: 'r', approved: false, reason: 'late' } },
    {
      ...pay,
      state: 'output-error',
      errorText: 'late',
    },
  ],
  [
    'a refused call whose run never got the answer is marked, too',
    { ...pay, state: 'approval-responded', approval: { id: 'r', approved: false } },
    { ...pay, state: 'output-error', errorText: 'Tool call execution denied.' },
  ],
  [
    'an approved call whose run never got the answer has no result',
    { ...pay, state: 'approval-responded', approval: { id: 'r', approved: true } },
    { ...pay, state: 'output-error', errorText: 'The run ended before this call had a result.' },
  ],
  [
    'a call without an answer has no result',
    { ...pay, state: 'approval-requested', approval: { id: 'r' } },
    { ...pay, state: 'output-error', errorText: 'The run ended before this call had a result.' },
  ],
  [
    'any other call stays unchanged',
    { ...pay, state: 'input-available' },
    { ...pay, state: 'input-available' },
  ],
  [
    'a call of an agent is left out',
    { ...pay, state: 'output-available', output: 1, toolMetadata: { cuelineAgent: 'c' } },
    undefined,
  ],
  ['the task list is left out', { type: 'data-tasks', data: [] }, undefined],
  ['parts of the app stay', { type: 'data-own', data: 1 }, { type: 'data-own', data: 1 }],
])('a message as a turn: %s', (_what, part, turn) => {
  expect(toTurns([answer(part)])).toEqual([answer(...(turn === undefined ? [] : [turn]))]);
});

test('tasks are those of the last answer', () => {
  const list = (data: unknown): object => ({ type: 'data-tasks', id: 'tasks', data });
  const said: UIMessage = { id: 'u', role: 'user', parts: [] };
  expect(tasksIn([answer(list([1])), said, answer(list([2])), said])).toEqual([2]);
  expect(tasksIn([answer(list([1])), said, answer(), said])).toEqual([]);
  expect(tasksIn([answer(list('no list'))])).toEqual([]);
  expect(tasksIn([])).toEqual([]);
});
