import { createReducer, type RunEventBody } from '@cueline/core';
import { expect, test } from 'vitest';
import type { TranscriptItem } from '../../src/transcript/transcript-item.ts';
import { toTranscript } from '../../src/transcript/view-model.ts';
import { start, stateOf, step, called, ran, begun, ended, outline, agentsAtWork } from './run-events.ts';

test('agents are shown at their calls, even if ids repeat', () => {
  const items = toTranscript(stateOf(agentsAtWork));
  expect(outline(items)).toEqual([
    'user',
    'step',
    ['outer', ['user', 'step', ['inner', ['user', 'step', 'dig "rock"']]]],
  ]);
  expect(items.at(-1)).toMatchObject({ kind: 'agent', live: true, agent: { path: 'c1', status: 'running' } });
});

test('at an earlier moment, no agent is at work, and its tasks cannot be changed', () => {
  const rowsOf = (items: readonly TranscriptItem[]): TranscriptItem[] =>
    items.flatMap((item) => [item, ...('items' in item ? rowsOf(item.items) : [])]);
  const waiting: RunEventBody = { type: 'step-start', step: 1, request: { keep: 0, messages: [] } };
  const state = stateOf([...agentsAtWork, { ...waiting, ...({ agent: 'c1/c1' } as object) }]);
  const isAtWork = (item: TranscriptItem): boolean =>
    (item.kind === 'step' && item.waiting) || ('live' in item && item.live);
  const atWork = rowsOf(toTranscript(state)).filter(isAtWork);
  expect(atWork.map(({ kind }) => kind)).toEqual(['agent', 'agent', 'tool', 'step']);
  expect(rowsOf(toTranscript(state, [], false)).filter(isAtWork)).toEqual([]);
});

test('the rows of an agent that has ended keep their identity', () => {
  const done = [...agentsAtWork, ...ended('c1/c1'), ...ended('c1')];
  const rowsAfter = (events: readonly RunEventBody[]) => {
    const reducer = createReducer();
    return events.map((body, seq) => {
      reducer.apply({ seq, t: seq * 10, ...body });
      const item = toTranscript(reducer.snapshot()).find(({ kind }) => kind === 'agent');
      return item?.kind === 'agent' ? item.items : undefined;
    });
  };
  const rows = rowsAfter([
    ...done,
    { type: 'tool-end', toolCallId: 'c1', output: 'done' },
    { type: 'warning', message: 'one' },
    { type: 'warning', message: 'two' },
  ]);
  expect(rows.at(-1)).toBe(rows.at(-2));
  expect(rows.at(-1)).toBe(rows.at(-4));
  expect(rows.at(-1)).not.toBe(rows.at(-6));
});

test('a repeated call id belongs to the call at its position', () => {
  const again = [
    start,
    ...step(0, [...called('c1', 'look'), ...ran('c1', 'look', 'first')]),
    ...step(1, [...called('c1', 'look'), ...ran('c1', 'look', 'second')]),
    ...step(2, [...called('c1', 'helper'), ...begun('c1~2', 'helper')]),
  ];
  const items = toTranscript(stateOf(again.map((body) => fixId(body))));
  expect(outline(items)).toEqual([
    'user',
    'step',
    'look "first"',
    'step',
    'look "second"',
    'step',
    ['helper', ['user']],
  ]);
});

test('agents that a tool’s function calls are shown inside its call, one by one', () => {
  const sorted: RunEventBody[] = [
    start,
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    ...called('c1', 'sort'),
    { type: 'tool-start', toolCallId: 'c1', toolName: 'sort' },
    ...['c1', 'c1~2', 'c1~3'].flatMap((path) => [
      ...begun(path, 'classify').map(fixId),
      ...step(0, [], path),
      ...ended(path),
    ]),
  ];
  const done: RunEventBody[] = [...sorted, { type: 'tool-end', toolCallId: 'c1', output: 3 }];
  const items = toTranscript(stateOf(done));
  expect(outline(items)).toEqual([
    'user',
    'step',
    [
      'sort 3',
      [
        ['inner c1', ['user', 'step']],
        ['inner c1~2', ['user', 'step']],
        ['inner c1~3', ['user', 'step']],
      ],
    ],
  ]);
  // finished rows are not drawn again at every frame
  const reducer = createReducer(stateOf(done));
  const innerNow = () => toTranscript(reducer.snapshot()).find(({ kind }) => kind === 'tool');
  const before = innerNow();
  reducer.apply({ seq: 99, t: 990, type: 'warning', message: 'more' });
  expect(innerNow()).toMatchObject({ kind: 'tool', inner: expect.any(Array) });
  expect((innerNow() as { inner?: unknown }).inner).toBe((before as { inner?: unknown }).inner);
});

test('an agent with the name of its tool counts as the tool, unless there are several', () => {
  const one: RunEventBody[] = [
    start,
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    ...called('c1', 'review'),
    { type: 'tool-start', toolCallId: 'c1', toolName: 'review' },
    ...begun('c1', 'check').map(fixId),
    ...begun('c1~2', 'review').map(fixId),
  ];
  expect(outline(toTranscript(stateOf(one)))).toEqual([
    'user',
    'step',
    ['review', [['inner c1', ['user']], 'user']],
  ]);
  const two = [...one, ...begun('c1~3', 'review').map(fixId)];
  expect(outline(toTranscript(stateOf(two)))).toEqual([
    'user',
    'step',
    [
      'review undefined',
      [
        ['inner c1', ['user']],
        ['inner c1~2', ['user']],
        ['inner c1~3', ['user']],
      ],
    ],
  ]);
});

/** `begun` takes the call's id from the path, which here has a number behind it. */
function fixId(body: RunEventBody): RunEventBody {
  return body.type === 'agent-start' ? { ...body, toolCallId: body.toolCallId.replace(/~.*/, '') } : body;
}

test('two agents with the same path have rows with keys of their own', () => {
  const summary = [...begun('s', 'summarize'), ...step(0, [], 's'), ...ended('s')];
  const resume: RunEventBody = { type: 'run-resume', runId: 'again', model: 'simulated:demo' };
  const items = toTranscript(
    stateOf([start, ...step(0, []), ...summary, resume, ...summary, ...step(1, [])]),
  );
  expect(items.filter(({ kind }) => kind === 'inner')).toHaveLength(2);
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
});
