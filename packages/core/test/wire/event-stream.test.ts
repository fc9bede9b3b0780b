import { createRunLog, type RunEvent } from '@cueline/core';
import { toEventStream } from '@cueline/core/server';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { readEventStream } from '../../src/wire/read-event-stream.ts';
import { anySaying, inLog, runStart } from '../log/any-events.ts';
import { json, play } from '../support.ts';

const anyLog = fc
  .array(
    fc.oneof(
      anySaying,
      fc.record({ type: fc.constant('warning' as const), message: fc.string({ unit: 'binary' }) }),
    ),
    {
      maxLength: 8,
    },
  )
  .map((sayings) => json(inLog([runStart, ...sayings, { type: 'run-end', outcome: 'done' }])));

/** A body that comes in the pieces that `cuts` leave of it. */
function body(bytes: Uint8Array, cuts: readonly number[] = []): ReadableStream<Uint8Array> {
  const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted((a, b) => a - b);
  return new ReadableStream({
    start(controller) {
      for (const [index, from] of places.slice(0, -1).entries()) {
        controller.enqueue(bytes.slice(from, places[index + 1]));
      }
      controller.close();
    },
  });
}

const text = (wire: string): ReadableStream<Uint8Array> => body(new TextEncoder().encode(wire));

async function* each(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events;
}

async function bytesOf(events: readonly RunEvent[]): Promise<Uint8Array> {
  return new Uint8Array(await new Response(toEventStream(each(events))).arrayBuffer());
}

/** What a stream gave before it ended, and the code of the error with which it did. */
async function read(stream: ReadableStream<Uint8Array>, idleMs?: number) {
  const events: RunEvent[] = [];
  try {
    const iterator = readEventStream(stream, { idleMs });
    for await (const event of { [Symbol.asyncIterator]: () => iterator }) events.push(event);
  } catch (error) {
    return { events, code: (error as { code?: string }).code, message: (error as Error).message };
  }
  return { events };
}

const two = inLog([runStart, { type: 'warning', message: 'a' }]);
const lineOf = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

describe('events on the wire', () => {
  test('are server-sent events with their seq as id, after a comment that sends the headers', async () => {
    expect(new TextDecoder().decode(await bytesOf(two))).toBe(
      ':\n\n' +
        'id: 0\ndata: {"seq":0,"t":0,"type":"run-start","v":2,"runId":"r","model":"m","messages":[],"messageId":"answer"}\n\n' +
        'id: 1\ndata: {"seq":1,"t":10,"type":"warning","message":"a"}\n\n',
    );
  });

  test('are the same events for any cuts of the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.array(fc.nat(2_000), { maxLength: 30 }), async (log, cuts) => {
        expect(await read(body(await bytesOf(log), cuts))).toEqual({ events: log });
      }),
    );
  });

  test('are read from single bytes, with a byte order mark and every kind of line end', async () => {
    const log = inLog([runStart, { type: 'warning', message: 'ä 🎈 \r\n\u2028 \ud800' }]);
    const bytes = await bytesOf(log);
    const wire = new TextDecoder().decode(bytes);
    for (const end of ['\n', '\r', '\r\n']) {
      const other = new TextEncoder().encode(`\ufeff${wire.replaceAll('\n', end)}`);
      const every = Array.from(other, (_, index) => index);
      expect(await read(body(other, every))).toEqual({ events: log });
    }
  });

  test('equal the log of a whole run', async () => {
    const { run, events } = await play((prompt) => prompt.$`Hi.`, ['Hello.']);
    expect((await read(toEventStream(run.events()))).events).toEqual(json(events));
  });

  test('may report the progress of a tool as often as a text may grow', async () => {
    const progress = Array.from({ length: 20_001 }, (_, output) => ({
      type: 'tool-preliminary' as const,
      toolCallId: 'c',
      output,
    }));
    const { events, message } = await read(body(await bytesOf(inLog([runStart, ...progress]))));
    expect([events.length, message]).toEqual([20_002, undefined]);
  });

  test('ignore a partial event at the end, which is sent again', async () => {
    const bytes = await bytesOf(two);
    for (const length of [bytes.length - 1, bytes.length - 20]) {
      expect(await read(body(bytes.slice(0, length)))).toEqual({ events: two.slice(0, 1) });
    }
  });

  test('ignore comments, empty lines, other fields and other event names', async () => {
    const wire = `: hello\n\nretry: 3\n\nevent: ping\n${lineOf({ what: 'ever' })}`;
    expect(
      await read(text(`${wire}${lineOf(two[0])}: more\nevent: message\nid: 1\n${lineOf(two[1])}`)),
    ).toEqual({
      events: two,
    });
  });
});

describe('something that is not a stream of events', () => {
  test.each([
    ['text that is not JSON', 'data: {"seq":\n\n'],
    ['JSON that is not an object', lineOf(3)],
    ['null', lineOf(null)],
    ['an event without seq', lineOf({ t: 0, type: 'warning' })],
    ['an event with an invalid seq', lineOf({ seq: -1, t: 0, type: 'warning' })],
    ['an event without a time', lineOf({ seq: 1, type: 'warning' })],
    ['an event without a type', lineOf({ seq: 1, t: 0 })],
    ['an agent that is not a path', lineOf({ seq: 1, t: 0, type: 'warning', agent: 7 })],
    ['a run-start without a runId', lineOf({ seq: 0, t: 0, type: 'run-start', v: 2 })],
    ['another version', lineOf({ ...two[0], v: 3 })],
    ["the AI SDK's own stream", lineOf({ type: 'start', messageId: 'a' })],
  ])('emits the earlier events and then a named error: %s', async (_, wire) => {
    const bytes = new TextEncoder().encode(lineOf(two[0]) + wire + lineOf(two[1]));
    for (const cuts of [[], Array.from(bytes, (_byte, index) => index)]) {
      expect(await read(body(bytes, cuts))).toMatchObject({
        events: two.slice(0, 1),
        code: 'stream_malformed',
      });
    }
  });

  test.each([
    ['step-start', { step: 0 }],
    ['step-end', { step: 0, finishReason: 'stop' }],
    ['text-delta', { id: 'a' }],
    ['tool-input-delta', { toolCallId: 'c', delta: 1 }],
    ['task-add', { index: 0 }],
    ['approval-request', { approvalId: 'a' }],
    ['agent-start', { toolCallId: 'c' }],
    ['run-end', {}],
    ['text-start', { id: 'a', agent: 'c/'.repeat(500) }],
  ])('is an event of a known type without what readers of a log need: %s', async (type, fields) => {
    const wire = [...two, { seq: 2, t: 20, type, ...fields }].map(lineOf).join('');
    expect(await read(text(wire))).toMatchObject({
      events: two,
      code: 'stream_malformed',
      message: expect.stringMatching(
        `sent a "${type}" event whose fields are missing .*same version of @cueline/core`,
      ) as string,
    });
  });

  test('is not an event of a newer type, or of an agent whose call has a long id', async () => {
    const events = [
      ...two,
      { seq: 2, t: 20, type: 'newer', id: 1 },
      { seq: 3, t: 20, type: 'warning', message: '', agent: 'c'.repeat(5_000) },
    ];
    expect(await read(text(events.map(lineOf).join('')))).toEqual({ events });
  });

  test('is shown in the error, shortened', async () => {
    expect((await read(text(`data: <html>${'x'.repeat(500)}\n\n`))).message).toBe(
      `The stream of events contains something that is not JSON: <html>${'x'.repeat(74)}… Check that the URL is that of a prompt route.`,
    );
    expect((await read(text(lineOf({ ...two[0], v: 3 })))).message).toContain(
      'sends version 3 of the events, but this side reads version 2',
    );
  });

  test('an event of more than 16 MB is refused in any number of chunks, and an event of 16 MB is not', async () => {
    const frame = JSON.stringify({ ...two[1], message: '' }).length;
    const sized = (length: number) => ({ ...two[1], message: 'x'.repeat(length - frame) });
    for (const [length, code] of [
      [16 * 1024 * 1024, undefined],
      [16 * 1024 * 1024 + 1, 'too_large'],
    ] as const) {
      const bytes = new TextEncoder().encode(lineOf(sized(length)));
      const cuts = Array.from({ length: 300 }, (_, index) => index * 65_536);
      for (const at of [[], cuts]) {
        const found = await read(body(bytes, at));
        expect([found.code, found.events.length]).toEqual([code, code === undefined ? 1 : 0]);
      }
    }
  });

  test('too many events of a type are refused, and events of a newer version are not', async () => {
    const steps = (count: number, type: string) =>
      Array.from({ length: count }, (_, seq) =>
        lineOf({ seq, t: 0, type, step: seq, request: { keep: 0, messages: [] } }),
      ).join('');
    expect(await read(text(steps(10_001, 'step-start')))).toMatchObject({
      code: 'too_large',
      message:
        'The connection sent more than 10,000 steps, which is more than a run may hold. The rest was not read. Lower the options.limits of the run.',
    });
    const newer = await read(text(steps(10_000, 'newer')));
    expect([newer.code, newer.events.length]).toEqual([undefined, 10_000]);
    expect((await read(text(steps(10_001, 'newer')))).code).toBe('too_large');
  });

  test('an endless line is not kept in memory', async () => {
    let sent = 0;
    let cancelled = false;
    const piece = new TextEncoder().encode(`data: ${'x'.repeat(1024 * 1024)}`);
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(sent === 1 ? piece : piece.slice(6));
      },
      cancel() {
        cancelled = true;
      },
    });
    expect((await read(endless)).code).toBe('too_large');
    expect(sent).toBeLessThan(20);
    expect(cancelled).toBe(true);
  });
});

describe('a connection', () => {
  test('reports a loss after the earlier events', async () => {
    const bytes = await bytesOf(two);
    let pulls = 0;
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(bytes.slice(0, -5));
        else controller.error(new TypeError('terminated'));
      },
    });
    expect(await read(broken)).toMatchObject({ events: two.slice(0, 1), code: 'stream_truncated' });
  });

  test('is closed if it is silent for too long, and comments count as activity', async () => {
    let cancelled = false;
    let timer: ReturnType<typeof setInterval>;
    let comments = 0;
    const silent = new ReadableStream<Uint8Array>({
      start(controller) {
        timer = setInterval(() => {
          comments += 1;
          controller.enqueue(new TextEncoder().encode(':\n\n'));
          if (comments === 5) clearInterval(timer);
        }, 20);
      },
      cancel() {
        cancelled = true;
      },
    });
    const before = performance.now();
    expect(await read(silent, 60)).toMatchObject({ code: 'timeout' });
    expect(comments).toBe(5);
    expect(performance.now() - before).toBeGreaterThan(100);
    expect(cancelled).toBe(true);
  });

  test('is released at once when its reader stops, also while nothing arrives', async () => {
    let cancelled = false;
    const silent = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const iterator = readEventStream(silent);
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(cancelled).toBe(true);
  });

  test('releases its events when its reader leaves, also those of a waiting generator', async () => {
    let returned = 0;
    const events: AsyncIterable<RunEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return() {
          returned += 1;
          return new Promise(() => {});
        },
      }),
    };
    const reader = toEventStream(events).getReader();
    await reader.read();
    void reader.read();
    await reader.cancel();
    expect(returned).toBe(1);
  });

  test('sends comments while it is silent, and only one if nothing is read', async () => {
    vi.useFakeTimers();
    try {
      const log = createRunLog();
      log.push(two[0]!);
      const reader = toEventStream(log.read()).getReader();
      const next = async () => new TextDecoder().decode((await reader.read()).value);
      expect([await next(), await next()]).toEqual([':\n\n', `id: 0\n${lineOf(two[0])}`]);
      const comment = next();
      await vi.advanceTimersByTimeAsync(14_999);
      let came = false;
      void comment.then(() => (came = true));
      await vi.advanceTimersByTimeAsync(0);
      expect(came).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await comment).toBe(':\n\n');
      await vi.advanceTimersByTimeAsync(600_000);
      log.push({ seq: 1, t: 1, type: 'run-end', outcome: 'done' });
      expect(await next()).toBe(':\n\n');
      expect(await next()).toContain('run-end');
      expect((await reader.read()).done).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends with an error if its events fail', async () => {
    // eslint-disable-next-line require-yield
    const failing = (async function* (): AsyncGenerator<RunEvent> {
      throw new Error('gone');
    })();
    expect(await read(toEventStream(failing))).toMatchObject({ events: [], code: 'stream_truncated' });
  });
});
