import type { ApprovalEvent, ApprovalResponse, ClientToolEvent } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { createPendingResponses } from '../../src/tool-calls/pending-responses.ts';

/** What a run waits for, with ids r1, r2, …, and the events that it has appended. */
function start(onEvent: (event: ApprovalEvent | ClientToolEvent) => void = () => {}) {
  const events: { event: ApprovalEvent | ClientToolEvent; agent: string | undefined }[] = [];
  let count = 0;
  const pending = createPendingResponses(
    (event, agent) => {
      events.push({ event, agent });
      onEvent(event);
    },
    () => `r${(count += 1)}`,
  );
  return { ...pending, ask: pending.requestApproval, respond: pending.respondToApproval, events };
}

const remove = { toolCallId: 'c1', toolName: 'remove', input: { path: 'a.txt' } };
const send = { toolCallId: 'c2', toolName: 'send', input: {} };

const opened = (approvalId: string, call: typeof remove | typeof send): ApprovalEvent => ({
  type: 'approval-request',
  approvalId,
  ...call,
});

describe('approvals', () => {
  test.each<[string, ApprovalResponse, ApprovalResponse]>([
    ['yes', { approved: true }, { approved: true }],
    [
      'yes, with other arguments',
      { approved: true, input: { path: 'b.txt' } },
      { approved: true, input: { path: 'b.txt' } },
    ],
    ['yes, with an undefined input', { approved: true, input: undefined }, { approved: true }],
    ['yes, with null for arguments', { approved: true, input: null }, { approved: true, input: null }],
    ['no', { approved: false }, { approved: false }],
    ['no with a reason', { approved: false, reason: 'Keep it.' }, { approved: false, reason: 'Keep it.' }],
    ['unknown fields', { approved: true, by: 'me' } as ApprovalResponse, { approved: true }],
  ])('are requested, and return the response: %s', async (_what, answer, expected) => {
    const { ask, respond, events } = start();
    const answered = ask(remove, undefined, 'c0');
    expect(respond('r1', answer)).toEqual({ accepted: true });
    expect(await answered).toEqual(expected);
    expect(events).toEqual([
      { event: opened('r1', remove), agent: 'c0' },
      { event: { type: 'approval-response', approvalId: 'r1', response: expected }, agent: 'c0' },
    ]);
  });

  test('copy the response', async () => {
    const { ask, respond, events } = start();
    const answered = ask(remove, undefined);
    const input = { paths: ['b.txt'] };
    respond('r1', { approved: true, input });
    input.paths.push('c.txt');
    const expected = { approved: true, input: { paths: ['b.txt'] } };
    expect(await answered).toEqual(expected);
    expect(events.at(-1)?.event).toEqual({ type: 'approval-response', approvalId: 'r1', response: expected });
  });

  test('refuse an id that is unknown, answered or withdrawn', async () => {
    const { ask, respond, events } = start();
    expect(respond('r1', { approved: true })).toEqual({
      accepted: false,
      reason: 'There is no approval r1. None is pending.',
    });
    const answered = ask(remove, undefined);
    respond('r1', { approved: true });
    const controller = new AbortController();
    const withdrawn = ask(send, controller.signal).catch((error: unknown) => error);
    void ask(remove, undefined);
    void ask(send, undefined);
    controller.abort('over');
    expect(events.at(-1)).toEqual({
      event: { type: 'approval-withdraw', approvalId: 'r2' },
      agent: undefined,
    });
    const before = events.length;
    expect(respond('r1', { approved: false })).toEqual({
      accepted: false,
      reason: 'The approval r1 was already answered. Pending: r3 (remove), r4 (send).',
    });
    expect(respond('r2', { approved: true })).toEqual({
      accepted: false,
      reason: 'The approval r2 was already withdrawn. Pending: r3 (remove), r4 (send).',
    });
    expect(respond('__proto__', { approved: true })).toEqual({
      accepted: false,
      reason: 'There is no approval __proto__. Pending: r3 (remove), r4 (send).',
    });
    expect(events).toHaveLength(before);
    expect(await answered).toEqual({ approved: true });
    expect(await withdrawn).toBe('over');
  });

  test('are not requested if the signal has aborted', async () => {
    const { ask, events } = start();
    const reason = new Error('stopped');
    await expect(ask(remove, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(events).toEqual([]);
  });

  test('ignore an abort after the response, and leave no listener', async () => {
    const { ask, respond, events } = start();
    const controller = new AbortController();
    let listening = 0;
    const { signal } = controller;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: unknown[]) => {
      listening += 1;
      Reflect.apply(addEventListener, signal, args);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      listening -= 1;
      Reflect.apply(removeEventListener, signal, args);
    };
    const answered = ask(remove, signal);
    expect(listening).toBe(1);
    respond('r1', { approved: true });
    controller.abort();
    expect(await answered).toEqual({ approved: true });
    expect(listening).toBe(0);
    expect(events).toHaveLength(2);
  });

  const noAnswer =
    'This is not a response to an approval. Give { approved: true }, { approved: true, input } to run the call with other arguments, or { approved: false, reason }.';
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  test.each<[string, unknown, string]>([
    ['nothing', undefined, noAnswer],
    ['null', null, noAnswer],
    ['true', true, noAnswer],
    ['an empty object', {}, noAnswer],
    ['a word', { approved: 'yes' }, noAnswer],
    ['a reason that is not a string', { approved: false, reason: 7 }, noAnswer],
    [
      'a BigInt',
      { approved: true, input: { id: 1n } },
      'The response cannot be read as JSON (Do not know how to serialize a BigInt). Give an input of plain objects, arrays, strings, numbers.',
    ],
    [
      'a cycle',
      { approved: true, input: cycle },
      'The response cannot be read as JSON (Converting circular structure to JSON). Give an input of plain objects, arrays, strings, numbers.',
    ],
    [
      'an object that throws when it is read',
      {
        get approved() {
          throw new Error('no');
        },
      },
      'The response cannot be read as JSON (no). Give an input of plain objects, arrays, strings, numbers.',
    ],
  ])('stay open after an invalid response: %s', async (_what, answer, reason) => {
    const { ask, respond, events } = start();
    const answered = ask(remove, undefined);
    expect(respond('r1', answer as ApprovalResponse)).toEqual({ accepted: false, reason });
    expect(events).toEqual([{ event: opened('r1', remove), agent: undefined }]);
    respond('r1', { approved: false });
    expect(await answered).toEqual({ approved: false });
  });

  test('refuse a function as arguments', () => {
    const { ask, respond } = start();
    void ask(remove, undefined);
    expect(respond('r1', { approved: true, input: () => 1 })).toMatchObject({ accepted: false });
  });
});
