import type { RunEvent } from '@cueline/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readMessage } from '../../src/sandbox/host/read-message.ts';
import { encodeMessage, type ToHost } from '../../src/sandbox/protocol.ts';
import { createOutbox } from '../../src/sandbox/worker/outbox.ts';

const delta = (seq: number): RunEvent => ({ seq, t: seq, type: 'text-delta', id: '1', text: 'a' });

describe('what the page reads', () => {
  test('an event as it was sent', () => {
    const message: ToHost = { type: 'events', events: [delta(3)] };
    expect(readMessage(encodeMessage(message))).toEqual(message);
  });

  test.each([
    'nonsense',
    'null',
    '{"type":"else"}',
    '{"type":"events"}',
    '{"type":"events","events":[{"type":"text-delta","t":1,"seq":1}]}',
    '{"type":"events","events":[{"type":"__proto__","t":1}]}',
    '{"type":"events","events":[{"type":"text-end","id":"1","t":"soon"}]}',
    '{"type":"events","events":[{"type":"step-start","step":0,"request":{},"t":1}]}',
    '{"type":"events","events":[{"type":"run-end","outcome":"error","error":{},"t":1}]}',
    '{"type":"problem","message":{"toString":1}}',
    '{"type":"model-credit","call":1,"count":-5}',
  ])('nothing in %s', (text) => {
    expect(readMessage(text)).toBeUndefined();
  });
});

describe('what the worker sends', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function setUp() {
    const sent: ToHost[] = [];
    const outbox = createOutbox((text) => void sent.push(JSON.parse(text) as ToHost));
    const counts = (): number[] =>
      sent.map((message) => (message.type === 'events' ? message.events.length : -1));
    return { outbox, sent, counts };
  }

  test('deltas travel together, the first at once', () => {
    const { outbox, counts } = setUp();
    for (let seq = 0; seq < 5; seq += 1) outbox.event(delta(seq));
    expect(counts()).toEqual([1]);
    vi.advanceTimersByTime(8);
    expect(counts()).toEqual([1, 4]);
  });

  test('a turn in the run does not wait, and nothing overtakes an event', () => {
    const { outbox, counts } = setUp();
    outbox.event(delta(0));
    outbox.event(delta(1));
    outbox.event({ seq: 2, t: 2, type: 'tool-start', toolCallId: 'a', toolName: 'go' });
    expect(counts()).toEqual([1, 2]);
    outbox.event(delta(3));
    outbox.send({ type: 'ready' });
    expect(counts()).toEqual([1, 2, 1, -1]);
  });

  test('a page that does not read gets fewer, larger messages; the end always leaves', () => {
    const { outbox, counts } = setUp();
    for (let seq = 0; seq < 100; seq += 1) {
      outbox.event({ seq, t: seq, type: 'text-end', id: String(seq) });
    }
    expect(counts()).toHaveLength(32);
    outbox.read(1);
    expect(counts().at(-1)).toBe(68);
    outbox.event(delta(100));
    outbox.event({ seq: 101, t: 101, type: 'run-end', outcome: 'done', finishReason: 'stop' });
    expect(counts().at(-1)).toBe(2);
  });
});
