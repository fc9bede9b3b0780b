import type { UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { approvalsIn, outputsIn, tasksIn, toTurns } from '../../src/chat/chat-turns.ts';

const pay = { type: 'tool-pay', toolCallId: 'c', input: { amount: 5 } } as const;

const answer = (...parts: object[]): UIMessage => ({
  id: 'a',
  role: 'assistant',
  parts: parts as UIMessage['parts'],
});

test('the approvals of a message: open, answered, and without those that a pause has marked', () => {
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

test('the results of a message: of its last step, whole, and not from the provider', () => {
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
    'one that has run keeps its result',
    { ...pay, state: 'output-available', output: 1, approval: { id: 'r', approved: true } },
    { ...pay, state: 'output-available', output: 1 },
  ],
  [
    'a refused one says so',
    { ...pay, state: 'output-denied', approval: { id: 'r', approved: false, reason: 'late' } },
    {
      ...pay,
      state: 'output-error',
      errorText: 'late',
    },
  ],
  [
    'one that was refused and never heard, too',
    { ...pay, state: 'approval-responded', approval: { id: 'r', approved: false } },
    { ...pay, state: 'output-error', errorText: 'Tool call execution denied.' },
  ],
  [
    'one that was approved and never heard has no result',
    { ...pay, state: 'approval-responded', approval: { id: 'r', approved: true } },
    { ...pay, state: 'output-error', errorText: 'The run ended before this had a result.' },
  ],
  [
    'one that was not answered has none either',
    { ...pay, state: 'approval-requested', approval: { id: 'r' } },
    { ...pay, state: 'output-error', errorText: 'The run ended before this had a result.' },
  ],
  ['any other is as it was', { ...pay, state: 'input-available' }, { ...pay, state: 'input-available' }],
  [
    'a call of an agent is none of the model that answers',
    { ...pay, state: 'output-available', output: 1, toolMetadata: { cuelineAgent: 'c' } },
    undefined,
  ],
  ['the task list goes another way', { type: 'data-tasks', data: [] }, undefined],
  ['what an app has put there stays', { type: 'data-own', data: 1 }, { type: 'data-own', data: 1 }],
])('as a turn: %s', (_what, part, turn) => {
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
