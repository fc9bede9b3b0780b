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
    '{"type":"problem","message":{"toString":1}}',
    '{"type":"model-credit","call":1,"count":-5}',
  ])('nothing in %s', (text) => {
    expect(readMessage(text)).toBeUndefined();
  });
});

describe('an event that is none', () => {
  const start = { type: 'run-start', v: 1, runId: 'r', model: 'm', messages: [], messageId: 'a' };
  const message = (fields: object) => ({
    ...start,
    messages: [{ id: 'u', role: 'user', parts: [], ...fields }],
  });
  const request = { keep: 0, messages: [], tools: [], settings: {} };
  const step = (fields: object) => ({ type: 'step-start', step: 0, request: { ...request, ...fields } });
  const input = { type: 'tool-input-end', toolCallId: 'c', toolName: 'go', input: {} };
  const stepEnd = (usage: object) => ({ type: 'step-end', step: 0, finishReason: 'stop', usage });

  const read = (events: unknown[]): unknown => {
    const found = readMessage(JSON.stringify({ type: 'events', events }));
    return found?.type === 'events' ? found.events : found;
  };

  test.each<object>([
    start,
    message({}),
    message({ role: 'assistant', parts: [{ type: 'text', text: 'a' }, { type: 'step-start' }] }),
    message({ parts: [{ type: 'file', mediaType: 'image/png', url: 'data:' }] }),
    step({}),
    step({ instructions: 'Be brief.', model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    step({ messages: [{ role: 'tool', content: [{ type: 'tool-result' }] }] }),
    input,
    { ...input, invalid: 'Not JSON.', title: 'Go' },
    { type: 'source', source: { sourceType: 'url', id: '1', url: 'https://example.com' } },
    stepEnd({}),
    stepEnd({ inputTokens: 1, outputTokens: null, totalTokens: 1, inputTokenDetails: {} }),
    { type: 'run-end', outcome: 'done', finishReason: 'stop' },
    { type: 'run-end', outcome: 'error', error: { code: 'auth', message: 'No.' } },
  ])('is not one as it should be: %j', (event) => {
    expect(read([{ ...event, t: 1 }])).toEqual([{ ...event, t: 1 }]);
  });

  test.each<object>([
    { type: 'text-delta' },
    { type: '__proto__' },
    { type: 'constructor' },
    { type: 'text-end', id: '1', t: 'soon' },
    { type: 'text-end', id: '1', t: null },
    { ...start, messages: [null] },
    { ...start, name: {} },
    message({ parts: undefined }),
    message({ role: 'tool' }),
    message({ id: 1 }),
    message({ parts: [null] }),
    message({ parts: [{ type: 'text' }] }),
    message({ parts: [{ type: 'reasoning', text: {} }] }),
    message({ parts: [{ type: 'file' }] }),
    message({ parts: [{ type: 'dynamic-tool', toolCallId: 'c', toolName: {} }] }),
    message({ parts: [{ type: 'tool-go', toolCallId: 'c', errorText: {} }] }),
    { type: 'step-start', step: 0, request: {} },
    { ...step({}), step: {} },
    step({ instructions: {} }),
    step({ model: 1 }),
    step({ messages: [null] }),
    step({ messages: [{ role: {}, content: '' }] }),
    step({ tools: [{}] }),
    step({ tools: {} }),
    step({ settings: 'none' }),
    { ...input, invalid: {} },
    { ...input, title: {} },
    { type: 'tool-error', toolCallId: 'c', error: {} },
    { type: 'source', source: { sourceType: 'url', id: '1', url: {} } },
    { type: 'source', source: { sourceType: 'url', id: '1', url: '', title: {} } },
    { type: 'warning', message: {} },
    stepEnd({ inputTokens: {} }),
    stepEnd({ outputTokens: '1' }),
    { ...stepEnd({}), finishReason: {} },
  ])('is left out, and those around it stay: %j', (event) => {
    expect(read([delta(1), { t: 1, ...event }, delta(2)])).toEqual([delta(1), delta(2)]);
  });

  test.each([
    { type: 'run-end', outcome: 'pwned' },
    { type: 'run-end', outcome: 'running' },
    { type: 'run-end', outcome: 'done', finishReason: {} },
    { type: 'run-end', outcome: 'error' },
    { type: 'run-end', outcome: 'error', error: {} },
    { type: 'run-end', outcome: 'error', error: { code: {}, message: '' } },
  ])('is an end all the same: %j', (event) => {
    expect(read([delta(1), { t: 1, ...event }])).toEqual([
      delta(1),
      expect.objectContaining({ type: 'run-end', outcome: 'error' }),
    ]);
  });
});

test('a script that replaces JSON does not write the messages of its worker', () => {
  const replaced = vi.spyOn(JSON, 'stringify').mockReturnValue('{"type":"forged"}');
  const text = encodeMessage({ type: 'ready' });
  replaced.mockRestore();
  expect(text).toBe('{"type":"ready"}');
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

  test('what has piled up does not make one message too long', () => {
    const { outbox, counts } = setUp();
    const output = 'x'.repeat(1_000_000);
    for (let seq = 0; seq < 42; seq += 1) {
      outbox.event({ seq, t: seq, type: 'tool-end', toolCallId: String(seq), output });
    }
    outbox.read(1);
    expect(counts().slice(32)).toEqual([2, 3, 2, 3]);
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
