import type { RunEvent } from '@cueline/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readEvent, readMessage } from '../../src/sandbox/host/read-message.ts';
import { encodeMessage, type ToHost } from '../../src/sandbox/protocol.ts';
import { createOutbox } from '../../src/sandbox/worker/outbox.ts';

const delta = (seq: number): RunEvent => ({ seq, t: seq, type: 'text-delta', id: '1', text: 'a' });

describe('the page reads', () => {
  test('an event as it was sent', () => {
    const message: ToHost = { type: 'events', events: [delta(3)] };
    expect(readMessage(encodeMessage(message))).toEqual(message);
  });

  test.each<ToHost>([
    { type: 'definition', of: 'tool', name: 'search', agent: 'outer/inner', at: { line: 3, column: 2 } },
    { type: 'definition', of: 'system', name: '', at: { line: 1 } },
  ])('the line of a definition: %j', (message) => {
    expect(readMessage(encodeMessage(message))).toEqual(message);
  });

  test.each([
    '{"type":"definition","of":"tool","name":"search"}',
    '{"type":"definition","of":"__proto__","name":"search","at":{"line":1}}',
    '{"type":"definition","of":"tool","name":{},"at":{"line":1}}',
    '{"type":"definition","of":"tool","name":"search","agent":7,"at":{"line":1}}',
    '{"type":"definition","of":"tool","name":"search","at":{"line":0}}',
    '{"type":"definition","of":"tool","name":"search","at":{"line":-4}}',
    '{"type":"definition","of":"tool","name":"search","at":{"line":1.5}}',
    '{"type":"definition","of":"tool","name":"search","at":{"line":1e999}}',
    '{"type":"definition","of":"tool","name":"search","at":{"line":1,"column":0}}',
    `{"type":"definition","of":"tool","name":"${'x'.repeat(201)}","at":{"line":1}}`,
    `{"type":"definition","of":"tool","name":"x","agent":"${'x'.repeat(501)}","at":{"line":1}}`,
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

describe('the events of a message', () => {
  const start = { type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' };
  const resume = { type: 'run-resume', runId: 'r2', model: 'm' };
  const message = (fields: object) => ({
    ...start,
    messages: [{ id: 'u', role: 'user', parts: [], ...fields }],
  });
  const request = { keep: 0, messages: [], tools: [], settings: {} };
  const step = (fields: object) => ({ type: 'step-start', step: 0, request: { ...request, ...fields } });
  const input = { type: 'tool-input-end', toolCallId: 'c', toolName: 'go', input: {} };
  const agent = 'call_1/call_2';
  const agentStart = { ...start, type: 'agent-start', agent, toolCallId: 'call_2', name: 'researcher' };
  const taskUpdate = { type: 'task-update', taskId: 'task-1', by: 'user' };
  const taskAdd = { type: 'task-add', task: { id: 'task-1', title: 'Look', origin: 'model' }, index: 0 };
  const subCall = { toolCallId: 'c', index: 0 };
  const asked = {
    type: 'approval-request',
    approvalId: 'r',
    toolCallId: 'c',
    toolName: 'go',
  };
  const answered = (answer: unknown) => ({ type: 'approval-response', approvalId: 'r', response: answer });
  const stepEnd = (usage: object) => ({ type: 'step-end', step: 0, finishReason: 'stop', usage });

  const read = (events: unknown[]): unknown => {
    const found = readMessage(JSON.stringify({ type: 'events', events }));
    return found?.type === 'events' ? found.events.flatMap((event) => readEvent(event) ?? []) : found;
  };

  test.each<object>([
    start,
    { ...message({}), turns: 1, structured: true, key: 'mount' },
    resume,
    { ...resume, simulated: true, key: 'mount' },
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
    { ...delta(1), agent },
    agentStart,
    { type: 'agent-end', agent, outcome: 'done', output: { notes: [] } },
    { type: 'agent-end', agent, outcome: 'error', error: { code: 'auth', message: 'No.' } },
    { ...subCall, type: 'sub-call-start', name: 'read', input: {} },
    { ...subCall, type: 'sub-call-end', output: 'whole', ms: 3 },
    { ...subCall, type: 'sub-call-end', error: 'No such file.', ms: 3 },
    taskAdd,
    { ...taskUpdate, status: 'in_progress', attempts: 1, result: null, error: 'Too short.' },
    { type: 'task-move', taskId: 'task-1', index: 3, by: 'user' },
    { type: 'task-remove', taskId: 'task-1', by: 'author' },
    { ...asked, agent, input: { to: 'all' } },
    answered({ approved: true, input: {} }),
    answered({ approved: false, reason: 'Not now.' }),
    { type: 'steer', id: 's', cause: 'tasks', text: 'Go on.' },
    { type: 'steer', id: 's', cause: 'session', text: 'Go on.' },
    { type: 'steer', id: 's', cause: 'call', text: 'Go on.' },
    { type: 'steer', id: 's', cause: 'correction', text: 'Go on.' },
    { type: 'run-end', outcome: 'done', finishReason: 'stop' },
    { type: 'run-end', outcome: 'done', output: { days: [1, null] } },
    { type: 'run-end', outcome: 'error', error: { code: 'auth', message: 'No.' } },
  ])('an event with valid fields is kept: %j', (event) => {
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
    { ...start, turns: 1 },
    { ...message({}), turns: -1 },
    { ...message({}), turns: 0.5 },
    { ...message({}), turns: '1' },
    { ...start, structured: false },
    { ...start, structured: {} },
    { ...start, key: {} },
    { ...resume, runId: undefined },
    { ...resume, model: {} },
    { ...resume, simulated: 'yes' },
    { ...resume, key: 7 },
    { ...resume, agent: 'call_1' },
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
    { ...delta(1), agent: {} },
    { ...delta(1), agent: 'a/'.repeat(501) },
    { ...start, agent },
    { ...agentStart, agent: undefined },
    { ...agentStart, messages: [{ id: 'u', role: 'user' }] },
    { type: 'agent-end', agent, outcome: 'waiting' },
    { type: 'agent-end', agent, outcome: 'error' },
    { type: 'agent-end', outcome: 'done' },
    { ...subCall, type: 'sub-call-start', name: {} },
    { ...subCall, type: 'sub-call-start', name: 'read', index: 0.5 },
    { ...subCall, type: 'sub-call-end', error: {}, ms: 3 },
    { ...subCall, type: 'sub-call-end', index: '__proto__', ms: 3 },
    { ...taskAdd, task: { id: 'task-1', title: {}, origin: 'model' } },
    { ...taskAdd, task: { id: 'task-1', title: 'Look', origin: 'nobody' } },
    { ...taskAdd, index: -1 },
    { ...taskUpdate, status: 'forgotten' },
    { ...taskUpdate, result: {} },
    { ...taskUpdate, attempts: '1' },
    { type: 'task-move', taskId: 'task-1', index: null, by: 'user' },
    { type: 'task-remove', taskId: {}, by: 'user' },
    { ...asked, approvalId: 7 },
    { ...asked, toolName: undefined },
    answered(null),
    answered({ approved: 'yes' }),
    answered({ approved: false, reason: {} }),
    { type: 'steer', id: 's', cause: 'whim', text: 'Go on.' },
    { type: 'steer', id: 's', cause: 'user', text: {} },
  ])('an event with invalid fields is left out, and its neighbors stay: %j', (event) => {
    expect(read([delta(1), { t: 1, ...event }, delta(2)])).toEqual([delta(1), delta(2)]);
  });

  test.each([
    { type: 'run-end', outcome: 'pwned' },
    { type: 'run-end', outcome: 'running' },
    { type: 'run-end', outcome: 'done', agent: 'call_1' },
    { type: 'run-end', outcome: 'done', finishReason: {} },
    { type: 'run-end', outcome: 'error' },
    { type: 'run-end', outcome: 'error', error: {} },
    { type: 'run-end', outcome: 'error', error: { code: {}, message: '' } },
  ])('an invalid run-end still ends the run: %j', (event) => {
    expect(read([delta(1), { t: 1, ...event }])).toEqual([
      delta(1),
      expect.objectContaining({ type: 'run-end', outcome: 'error' }),
    ]);
  });
});

test('a script that replaces JSON cannot change the messages of its worker', () => {
  const replaced = vi.spyOn(JSON, 'stringify').mockReturnValue('{"type":"forged"}');
  const text = encodeMessage({ type: 'ready' });
  replaced.mockRestore();
  expect(text).toBe('{"type":"ready"}');
});

describe('messages of the worker', () => {
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

  test('an event that opens a text travels with its first words, and waits for them no longer than deltas do', () => {
    const { outbox, counts } = setUp();
    const open: RunEvent = { seq: 0, t: 0, type: 'text-start', id: '1' };
    outbox.event(open);
    expect(counts()).toEqual([]);
    outbox.event(delta(1));
    expect(counts()).toEqual([2]);
    outbox.event(open);
    vi.advanceTimersByTime(8);
    expect(counts()).toEqual([2, 1]);
  });

  test('an event of a step is not delayed, and no message overtakes an event', () => {
    const { outbox, counts } = setUp();
    outbox.event(delta(0));
    outbox.event(delta(1));
    outbox.event({ seq: 2, t: 2, type: 'tool-start', toolCallId: 'a', toolName: 'go' });
    expect(counts()).toEqual([1, 2]);
    outbox.event(delta(3));
    outbox.send({ type: 'ready' });
    expect(counts()).toEqual([1, 2, 1, -1]);
  });

  test('a backlog does not make one message too long', () => {
    const { outbox, counts } = setUp();
    const output = 'x'.repeat(1_000_000);
    for (let seq = 0; seq < 42; seq += 1) {
      outbox.event({ seq, t: seq, type: 'tool-end', toolCallId: String(seq), output });
    }
    outbox.read(1);
    expect(counts().slice(32)).toEqual([2, 3, 2, 3]);
  });

  test('a page that does not read gets fewer, larger messages; the end is always sent', () => {
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
