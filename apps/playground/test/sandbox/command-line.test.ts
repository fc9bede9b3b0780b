import type { EditReply, RunCommand } from '@cueline/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCommandLine } from '../../src/sandbox/host/command-line.ts';
import { readMessage } from '../../src/sandbox/host/read-message.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const add: RunCommand = { type: 'edit', edit: { type: 'add', title: 'Look' } };
const limits = { commandLength: 100, openCommands: 2, reply: 5_000 };

function setUp() {
  const sent: unknown[] = [];
  const line = createCommandLine((message) => void sent.push(message), limits);
  const reply = (id: number, given: EditReply) => line.receive({ type: 'reply', id, reply: given });
  return { line, sent, reply };
}

test('a command is sent with an id, and its reply comes back, whichever comes first', async () => {
  const { line, sent, reply } = setUp();
  const [first, second] = [line.send(add), line.send({ ...add, agent: 'call-1' })];
  expect(sent).toEqual([
    { type: 'command', id: 1, command: add },
    { type: 'command', id: 2, command: { ...add, agent: 'call-1' } },
  ]);
  reply(2, { accepted: false, reason: 'The agent has no task list.' });
  reply(1, { accepted: true });
  expect(await first).toEqual({ accepted: true });
  expect(await second).toEqual({ accepted: false, reason: 'The agent has no task list.' });
});

test('a command to a silent worker ends with a refusal, and a late reply is ignored', async () => {
  const { line, reply } = setUp();
  const answer = line.send(add);
  vi.advanceTimersByTime(5_000);
  reply(1, { accepted: true });
  expect(await answer).toEqual({
    accepted: false,
    reason:
      'The script gave no answer within 5 s. Check whether the change took effect before you try again.',
  });
});

test('the end of the run answers the commands that wait, and later ones', async () => {
  const { line, sent } = setUp();
  const waiting = line.send(add);
  line.close();
  expect(await waiting).toEqual({ accepted: false, reason: 'The run has ended.' });
  expect(await line.send(add)).toEqual({ accepted: false, reason: 'The run has ended.' });
  expect(sent).toHaveLength(1);
});

test('the number of waiting commands and the length of each are limited', async () => {
  const { line, sent, reply } = setUp();
  void line.send(add);
  void line.send(add);
  expect(await line.send(add)).toMatchObject({
    accepted: false,
    reason: expect.stringContaining('2 earlier commands'),
  });
  reply(1, { accepted: true });
  const long: RunCommand = { type: 'edit', edit: { type: 'add', title: 'x'.repeat(100) } };
  expect(await line.send(long)).toMatchObject({
    accepted: false,
    reason: expect.stringContaining('at most 100'),
  });
  const round: Record<string, unknown> = {};
  round['self'] = round;
  expect(
    await line.send({
      type: 'approval-response',
      approvalId: 'r',
      response: { approved: true, input: round },
    }),
  ).toMatchObject({ accepted: false, reason: expect.stringContaining('JSON') });
  expect(sent).toHaveLength(2);
});

test('a long reason is cut, and what is not a reply is ignored', async () => {
  const { line, reply } = setUp();
  const answer = line.send(add);
  reply(7, { accepted: true });
  reply(1, { accepted: false, reason: 'x'.repeat(10_000) });
  expect(await answer).toEqual({ accepted: false, reason: 'x'.repeat(1_000) });
  const read = (given: unknown) => readMessage(JSON.stringify({ type: 'reply', id: 1, reply: given }));
  expect(read({ accepted: true, reason: {} })).toEqual({ type: 'reply', id: 1, reply: { accepted: true } });
  for (const given of [null, {}, { accepted: 'yes' }, { accepted: false }, { accepted: false, reason: {} }]) {
    expect(read(given)).toBeUndefined();
  }
});
