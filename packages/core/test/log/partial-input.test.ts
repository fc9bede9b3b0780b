import {
  createReducer,
  initialState,
  reduce,
  reduceAll,
  runPrompt,
  type RunEvent,
  type RunEventBody,
  type RunState,
  type ToolCallState,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { agentStart, freeze, inLog, runStart, stepStart } from './any-events.ts';

type Said = Parameters<typeof inLog>[0][number];

const inputStart = { type: 'tool-input-start', toolCallId: '1', toolName: 'go' } satisfies RunEventBody;
const piece = (delta: string): RunEventBody => ({ type: 'tool-input-delta', toolCallId: '1', delta });
const inputEnd = (input: unknown): RunEventBody => ({
  type: 'tool-input-end',
  toolCallId: '1',
  toolName: 'go',
  input,
});
const begun = [runStart, stepStart(), inputStart];

/** The states of a log, one after each event, none of which may be written to. */
function statesOf(bodies: readonly Said[]): RunState[] {
  const states: RunState[] = [];
  for (const event of inLog(bodies)) states.push(freeze(reduce(states.at(-1) ?? initialState, event)));
  return states;
}

const partial = ({ toolCalls }: Pick<RunState, 'toolCalls'>): unknown => {
  const call = toolCalls.at(-1);
  return call !== undefined && 'partialInput' in call ? call.partialInput : 'missing';
};

/** What the message shows of the arguments. */
const shown = ({ messages }: RunState): unknown => (messages[0]!.parts[1] as { input: unknown }).input;

describe('arguments that are still arriving', () => {
  test('grow from state to state, and are removed when they are complete', () => {
    const states = statesOf([
      ...begun,
      piece('{"to'),
      piece('":["An'),
      piece('na","B'),
      piece('o"],"loud":t'),
      piece('rue}'),
      inputEnd({ to: ['Anna', 'Bo'], loud: true }),
    ]).slice(2);
    expect(states.map(partial)).toEqual([
      'missing',
      {},
      { to: ['An'] },
      { to: ['Anna', 'B'] },
      { to: ['Anna', 'Bo'], loud: true },
      { to: ['Anna', 'Bo'], loud: true },
      'missing',
    ]);
    expect(states.at(-1)!.toolCalls).toStrictEqual([
      {
        toolCallId: '1',
        toolName: 'go',
        step: 0,
        state: 'input-available',
        inputText: '{"to":["Anna","Bo"],"loud":true}',
        input: { to: ['Anna', 'Bo'], loud: true },
        calledAt: 20,
      },
    ]);
  });

  test('are the same object as in the message, and share their closed parts between states', () => {
    const [before, after] = statesOf([...begun, piece('{"a":[1,2],"b":'), piece('{"c":"d')]).slice(3);
    expect(partial(before!)).toStrictEqual({ a: [1, 2] });
    expect(partial(after!)).toStrictEqual({ a: [1, 2], b: { c: 'd' } });
    expect(partial(after!)).toBe(shown(after!));
    expect((partial(after!) as { a: unknown }).a).toBe((partial(before!) as { a: unknown }).a);
  });

  test('are missing while the text is not JSON', () => {
    const states = statesOf([...begun, piece('{"a":1'), piece('x'), piece(',')]).slice(3);
    expect(states.map(partial)).toEqual([{ a: 1 }, { a: 1 }, 'missing']);
    expect(states.map(shown)).toEqual([{ a: 1 }, { a: 1 }, undefined]);
  });

  test.each([
    ['stopped', 'interrupted'],
    ['error', 'interrupted'],
    // a run that waits goes on with the call
    ['waiting', 'input-streaming'],
  ] as const)('keep what has arrived if the run ends %s', (outcome, state) => {
    const log = inLog([...begun, piece('{"a":[1,'), piece('2'), { type: 'run-end', outcome }]);
    for (const end of [reduceAll(log), log.reduce(reduce, initialState)]) {
      expect(end.toolCalls).toMatchObject([{ state, partialInput: { a: [1, 2] } }]);
    }
  });

  test('are removed if they turn out to be invalid, too', () => {
    const { toolCalls } = reduceAll(
      inLog([...begun, piece('{"a":'), { ...inputEnd('{"a":'), invalid: 'No JSON.' } as RunEventBody]),
    );
    expect(toolCalls).toMatchObject([{ state: 'output-error', input: '{"a":', errorText: 'No JSON.' }]);
    expect(toolCalls[0]).not.toHaveProperty('partialInput');
  });

  test('do not reappear with a late delta', () => {
    const { toolCalls } = reduceAll(inLog([...begun, piece('[1]'), inputEnd([1]), piece(' ')]));
    expect(toolCalls).toMatchObject([{ input: [1], inputText: '[1] ' }]);
    expect(toolCalls[0]).not.toHaveProperty('partialInput');
  });

  test('of an agent are kept in its own state', () => {
    const mine = (body: RunEventBody): Said => ({ ...body, agent: 'a' });
    const end = reduceAll(
      inLog([
        ...begun,
        piece('["run'),
        agentStart('a'),
        mine(stepStart()),
        mine(inputStart),
        mine(piece('["agent')),
        { type: 'agent-end', agent: 'a', outcome: 'stopped' },
      ]),
    );
    expect(partial(end)).toStrictEqual(['run']);
    expect(end.agents[0]!.toolCalls).toMatchObject([{ state: 'interrupted', partialInput: ['agent'] }]);
  });

  test('of two calls with the same id stay separate', () => {
    const again = [stepStart(1), inputStart, piece('["second')];
    const end = reduceAll(inLog([...begun, piece('["first'), ...again]));
    expect(end.toolCalls.map((call: ToolCallState) => call.partialInput)).toStrictEqual([
      ['first'],
      ['second'],
    ]);
    const whole = reduceAll(inLog([...begun, piece('["first'), ...again, inputEnd(['second'])]));
    expect(whole.toolCalls.map((call: ToolCallState) => call.partialInput)).toStrictEqual([
      ['first'],
      undefined,
    ]);
  });

  test('are parsed once for each state, however many deltas arrive', () => {
    const reducer = createReducer(reduceAll(inLog([...begun, piece('[[[')])));
    const looks = vi.spyOn(Array.prototype, 'concat');
    for (let seq = 4; seq < 1_004; seq++) reducer.apply({ seq, t: 0, ...piece('1,') });
    const state = reducer.snapshot();
    const looked = looks.mock.calls.length;
    looks.mockRestore();
    // the three arrays that are open
    expect(looked).toBe(3);
    expect(partial(state)).toStrictEqual([[Array.from({ length: 1_000 }, () => 1)]]);
  });

  test('are the same object for all readers of a state', () => {
    const pieces = fc.array(fc.constantFrom(...Array.from('{}[],:"1ae\\ '), '"b":', 'tru', '{"a":', ''), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.boolean()), (deltas, looks) => {
        const log = inLog([...begun, ...deltas.map(piece)]);
        const reducer = createReducer();
        const seen: [RunState, string][] = [];
        for (const event of log) {
          reducer.apply(event);
          if (!looks.next().value) continue;
          const state = reducer.snapshot();
          seen.push([state, JSON.stringify(state)]);
        }
        const whole = reduceAll(log);
        expect(reducer.snapshot()).toStrictEqual(whole);
        for (const [state, text] of seen) expect(JSON.stringify(state)).toBe(text);
        // as the AI SDK's `input` of the part, which is undefined where there is none
        expect(whole.toolCalls[0]!.partialInput).toStrictEqual(shown(whole));
      }),
      { numRuns: 1_000 },
    );
  });

  test('of a live run are those of its log', async () => {
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defTool('save', 'Saves lines', z.object({ lines: z.array(z.string()) }), () => 'ok');
        prompt.$`Save them.`;
      },
      {
        model: scriptedModel([
          [{ toolCall: { name: 'save', input: { lines: ['one', 'two', 'three'] } }, chunkSize: 6 }],
          'Saved.',
        ]),
      },
    );
    await run.finished;
    const live = (events: readonly RunEvent[]): unknown[] => {
      const reducer = createReducer();
      return events.flatMap((event) => {
        reducer.apply(event);
        return event.type === 'tool-input-delta' ? [partial(reducer.snapshot())] : [];
      });
    };
    expect(live(run.log())).toEqual([
      {},
      { lines: ['o'] },
      { lines: ['one', 't'] },
      { lines: ['one', 'two', 't'] },
      { lines: ['one', 'two', 'three'] },
      { lines: ['one', 'two', 'three'] },
    ]);
    expect(partial(run.getState())).toBe('missing');
    expect(reduceAll(run.log())).toStrictEqual(run.getState());
  });
});
