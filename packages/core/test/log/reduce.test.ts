import {
  createReducer,
  initialState,
  reduce,
  reduceAll,
  type RunEvent,
  type RunEventBody,
  type RunState,
} from '@cueline/core';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { go, play, throwing } from '../support.ts';
import { inLog, runStart } from './any-events.ts';

/** A run of every kind of event: reasoning, text, a good call, a failing tool, an invalid call, two steps. */
const sample = play(
  go((prompt) => {
    prompt.def('CITY', 'Lisbon');
    prompt.defTool('good', 'Works', z.object({ n: z.number() }), ({ n }) => ({ n }));
    prompt.defTool('bad', 'Fails', z.object({}), throwing(new Error('no such luck')));
  }),
  [
    [
      { reasoning: 'Think first.', chunkSize: 4 },
      { text: 'Calling.', chunkSize: 3 },
      { toolCall: { name: 'good', input: { n: 1 } }, chunkSize: 2 },
      { toolCall: { name: 'bad', input: {} } },
      { toolCall: { name: 'good', input: { n: 'one' } } },
    ],
    [{ text: 'Done and dusted.', chunkSize: 5 }],
  ],
);

describe('reduce', () => {
  test('gives a replayed log the state of the live run', async () => {
    const { run, events } = await sample;
    let state = initialState;
    for (const event of events) state = reduce(state, event);
    expect(state).toEqual(run.getState());
    expect(reduceAll(events)).toEqual(run.getState());
  });

  test('keeps two branches from one state independent', async () => {
    const { events } = await sample;
    const cut = events.findIndex((event) => event.type === 'tool-input-delta') + 1;
    const trunk = reduceAll(events.slice(0, cut));
    const [left, right] = ['"a"', '"b"'].map((delta) =>
      reduce(trunk, { ...(events[cut - 1] as RunEvent), type: 'tool-input-delta', delta } as RunEvent),
    );
    const text = (state: typeof trunk) => state.toolCalls[0]!.inputText;
    expect(text(left!)).toBe(`${text(trunk)}"a"`);
    expect(text(right!)).toBe(`${text(trunk)}"b"`);
  });

  test('keeps them independent when they alternate while arguments arrive', () => {
    const say = (state: RunState, body: RunEventBody): RunState =>
      reduce(state, { seq: state.seq + 1, t: 0, ...body });
    const piece = (delta: string): RunEventBody => ({ type: 'tool-input-delta', toolCallId: '1', delta });
    const trunk = (
      [
        runStart,
        { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
        { type: 'tool-input-start', toolCallId: '1', toolName: 'go' },
        piece('[1'),
      ] satisfies RunEventBody[]
    ).reduce<RunState>(say, initialState);
    const left = say(trunk, piece(',2'));
    const right = say(trunk, piece(',3'));
    const inputs = [left, right].map((state) => say(state, piece(',4')).messages[0]!.parts[1]);
    expect(inputs).toMatchObject([{ input: [1, 2, 4] }, { input: [1, 3, 4] }]);
  });

  test('keeps the identity of what did not change', async () => {
    const { events } = await sample;
    const firstDelta = events.findIndex((event) => event.type === 'text-delta');
    const before = reduceAll(events.slice(0, firstDelta));
    const after = reduce(before, events[firstDelta]!);
    expect(after.toolCalls).toBe(before.toolCalls);
    expect(after.variables).toBe(before.variables);
    expect(after.messages[0]).toBe(before.messages[0]);
    expect(after.messages[1]).not.toBe(before.messages[1]);
    expect(after.messages[1]!.parts[1]).toBe(before.messages[1]!.parts[1]);
  });

  test('copies each object at most once between two snapshots, however many events arrive', () => {
    const stepStart: RunEventBody = { type: 'step-start', step: 0, request: { keep: 0, messages: [] } };
    const reducer = createReducer(reduceAll(inLog([runStart, stepStart, { type: 'text-start', id: 't' }])));
    const copies = vi.spyOn(Array.prototype, 'slice');
    for (let seq = 3; seq < 1_003; seq++)
      reducer.apply({ seq, t: 0, type: 'text-delta', id: 't', text: 'x' });
    const copied = copies.mock.calls.length;
    copies.mockRestore();
    // the lists of messages, of the message's parts, and of steps
    expect(copied).toBeLessThanOrEqual(3);
    expect(reducer.snapshot().text).toBe('x'.repeat(1_000));
  });

  test('accepts hostile names and counts', () => {
    const log = inLog([
      runStart,
      { type: 'variable-set', name: '__proto__', kind: 'text', value: 'x' },
      { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
      { type: 'tool-input-end', toolCallId: '__proto__', toolName: 'constructor', input: {} },
      { type: 'tool-end', toolCallId: '__proto__', output: 1 },
      { type: 'tool-end', toolCallId: 'nobody', output: 1 },
      {
        type: 'step-end',
        step: 0,
        finishReason: 'stop',
        usage: { inputTokens: -5, outputTokens: 1e308, totalTokens: undefined } as never,
      },
    ]);
    const state = reduceAll(log);
    expect(Object.keys(state.variables)).toEqual(['__proto__']);
    expect(({} as { kind?: string }).kind).toBeUndefined();
    expect(state.toolCalls).toHaveLength(1);
    expect(state.usage).toEqual({ inputTokens: 0, outputTokens: 0, totalTokens: 0 });
  });
});
