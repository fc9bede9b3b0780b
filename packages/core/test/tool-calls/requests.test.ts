import { describe, expect, test } from 'vitest';
import type { RequestAnswer, RequestEvent } from '../../src/log/events.ts';
import { createRequests } from '../../src/tool-calls/requests.ts';

/** Requests with ids r1, r2, …, and what they have written down. */
function start(onEvent: (event: RequestEvent) => void = () => {}) {
  const events: { event: RequestEvent; agent: string | undefined }[] = [];
  let count = 0;
  const requests = createRequests(
    (event, agent) => {
      events.push({ event, agent });
      onEvent(event);
    },
    () => `r${(count += 1)}`,
  );
  return { ...requests, events };
}

const remove = { toolCallId: 'c1', toolName: 'remove', input: { path: 'a.txt' } };
const send = { toolCallId: 'c2', toolName: 'send', input: {} };

const opened = (requestId: string, call: typeof remove | typeof send): RequestEvent => ({
  type: 'request-open',
  requestId,
  kind: 'approval',
  ...call,
});

describe('createRequests', () => {
  test.each<[string, RequestAnswer, RequestAnswer]>([
    ['yes', { approve: true }, { approve: true }],
    [
      'yes, with other arguments',
      { approve: true, input: { path: 'b.txt' } },
      { approve: true, input: { path: 'b.txt' } },
    ],
    ['yes, and undefined is no input', { approve: true, input: undefined }, { approve: true }],
    ['yes, with null for arguments', { approve: true, input: null }, { approve: true, input: null }],
    ['no', { approve: false }, { approve: false }],
    ['no, and why', { approve: false, reason: 'Keep it.' }, { approve: false, reason: 'Keep it.' }],
    ['what else stands there', { approve: true, by: 'me' } as RequestAnswer, { approve: true }],
  ])('asks, waits, and gives the answer: %s', async (_what, answer, expected) => {
    const { ask, respond, events } = start();
    const answered = ask(remove, undefined, 'c0');
    expect(respond('r1', answer)).toEqual({ accepted: true });
    expect(await answered).toEqual(expected);
    expect(events).toEqual([
      { event: opened('r1', remove), agent: 'c0' },
      { event: { type: 'request-answer', requestId: 'r1', answer: expected }, agent: 'c0' },
    ]);
  });

  test('several are open at once, and each gets its own answer', async () => {
    const { ask, respond, events } = start();
    const answers = Promise.all([ask(remove, undefined), ask(send, undefined)]);
    respond('r2', { approve: false });
    respond('r1', { approve: true });
    expect(await answers).toEqual([{ approve: true }, { approve: false }]);
    expect(events.map(({ event }) => `${event.type} ${event.requestId}`)).toEqual([
      'request-open r1',
      'request-open r2',
      'request-answer r2',
      'request-answer r1',
    ]);
  });

  test('whoever hears of a request may answer it at once', async () => {
    const { ask, respond } = start((event) => {
      if (event.type === 'request-open') respond(event.requestId, { approve: true });
    });
    expect(await ask(remove, new AbortController().signal)).toEqual({ approve: true });
  });

  test('an answer is a copy', async () => {
    const { ask, respond, events } = start();
    const answered = ask(remove, undefined);
    const input = { paths: ['b.txt'] };
    respond('r1', { approve: true, input });
    input.paths.push('c.txt');
    const expected = { approve: true, input: { paths: ['b.txt'] } };
    expect(await answered).toEqual(expected);
    expect(events.at(-1)?.event).toEqual({ type: 'request-answer', requestId: 'r1', answer: expected });
  });

  test('an id that does not exist, one that was answered, one that was withdrawn', async () => {
    const { ask, respond, events } = start();
    expect(respond('r1', { approve: true })).toEqual({
      accepted: false,
      reason: 'There is no request r1. No request is open.',
    });
    const answered = ask(remove, undefined);
    respond('r1', { approve: true });
    const controller = new AbortController();
    const withdrawn = ask(send, controller.signal).catch((error: unknown) => error);
    void ask(remove, undefined);
    void ask(send, undefined);
    controller.abort('over');
    expect(events.at(-1)).toEqual({ event: { type: 'request-withdraw', requestId: 'r2' }, agent: undefined });
    const before = events.length;
    expect(respond('r1', { approve: false })).toEqual({
      accepted: false,
      reason: 'Request r1 was answered already. Open: r3 (remove), r4 (send).',
    });
    expect(respond('r2', { approve: true })).toEqual({
      accepted: false,
      reason: 'Request r2 was withdrawn already. Open: r3 (remove), r4 (send).',
    });
    expect(respond('__proto__', { approve: true })).toEqual({
      accepted: false,
      reason: 'There is no request __proto__. Open: r3 (remove), r4 (send).',
    });
    expect(events).toHaveLength(before);
    expect(await answered).toEqual({ approve: true });
    expect(await withdrawn).toBe('over');
  });

  test('a signal that has aborted asks nothing', async () => {
    const { ask, events } = start();
    const reason = new Error('stopped');
    await expect(ask(remove, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(events).toEqual([]);
  });

  test('an abort after the answer changes nothing, and nobody listens any more', async () => {
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
    respond('r1', { approve: true });
    controller.abort();
    expect(await answered).toEqual({ approve: true });
    expect(listening).toBe(0);
    expect(events).toHaveLength(2);
  });

  const noAnswer =
    'This is no answer. Give { approve: true }, { approve: true, input } to run the call with other arguments, or { approve: false, reason }.';
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  test.each<[string, unknown, string]>([
    ['nothing', undefined, noAnswer],
    ['null', null, noAnswer],
    ['true', true, noAnswer],
    ['an empty object', {}, noAnswer],
    ['a word', { approve: 'yes' }, noAnswer],
    ['a reason that is no text', { approve: false, reason: 7 }, noAnswer],
    [
      'a BigInt',
      { approve: true, input: { id: 1n } },
      'The answer cannot be read as JSON (Do not know how to serialize a BigInt). Give an input of plain objects, arrays, strings, numbers.',
    ],
    [
      'a cycle',
      { approve: true, input: cycle },
      'The answer cannot be read as JSON (Converting circular structure to JSON). Give an input of plain objects, arrays, strings, numbers.',
    ],
    [
      'what throws when it is read',
      {
        get approve() {
          throw new Error('no');
        },
      },
      'The answer cannot be read as JSON (no). Give an input of plain objects, arrays, strings, numbers.',
    ],
  ])('no answer: %s, and the request stays open', async (_what, answer, reason) => {
    const { ask, respond, events } = start();
    const answered = ask(remove, undefined);
    expect(respond('r1', answer as RequestAnswer)).toEqual({ accepted: false, reason });
    expect(events).toEqual([{ event: opened('r1', remove), agent: undefined }]);
    respond('r1', { approve: false });
    expect(await answered).toEqual({ approve: false });
  });

  test('a function for arguments is no answer', () => {
    const { ask, respond } = start();
    void ask(remove, undefined);
    expect(respond('r1', { approve: true, input: () => 1 })).toMatchObject({ accepted: false });
  });
});
