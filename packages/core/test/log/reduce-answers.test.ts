import { reduce, reduceAll, type RunEvent, type RunEventBody, type RunState } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { agentStart, inLog, runStart, stepEnd, stepStart } from './any-events.ts';

const structured = { ...runStart, structured: true } satisfies RunEventBody;
const said = (...texts: string[]): RunEventBody[] =>
  texts.map((text) => ({ type: 'text-delta', id: 'a', text }));

/** The object after each of the events. */
function objects(log: readonly RunEvent[]): unknown[] {
  return log.map((_, index) => reduceAll(log.slice(0, index + 1)).object);
}

describe('an answer with an output schema', () => {
  test('grows while it arrives', () => {
    const log = inLog([structured, stepStart(0), ...said('{"na', 'me":"A', 'da","n":[1', ',2]}')]);
    expect(objects(log)).toEqual([
      undefined,
      undefined,
      {},
      { name: 'A' },
      { name: 'Ada', n: [1] },
      { name: 'Ada', n: [1, 2] },
    ]);
    expect('object' in reduceAll(log.slice(0, 2))).toBe(false);
  });

  test('is the output of the schema at the end', () => {
    const end: RunEventBody = { type: 'run-end', outcome: 'done', output: { n: 1, extra: true } };
    const state = reduceAll(inLog([structured, stepStart(0), ...said('{"n":"1"}'), stepEnd(0), end]));
    expect(state).toMatchObject({
      status: 'done',
      object: { n: 1, extra: true },
      result: { n: 1, extra: true },
      text: '{"n":"1"}',
    });
  });

  test('may be null or a plain value', () => {
    for (const output of [null, false, 0, '']) {
      const end: RunEventBody = { type: 'run-end', outcome: 'done', output };
      const state = reduceAll(inLog([structured, stepStart(0), ...said(JSON.stringify(output)), end]));
      expect(state).toMatchObject({ object: output, result: output });
    }
  });

  test('keeps its partial value if the run does not end as done', () => {
    for (const outcome of ['stopped', 'error', 'waiting'] as const) {
      const state = reduceAll(
        inLog([structured, stepStart(0), ...said('{"n":1,"m'), { type: 'run-end', outcome }]),
      );
      expect(state.object).toEqual({ n: 1 });
      expect(state).not.toHaveProperty('result');
    }
  });

  test('starts again in another step and when a step is retried', () => {
    const log = inLog([
      structured,
      stepStart(0),
      ...said('{"n":1}'),
      stepEnd(0),
      stepStart(1),
      ...said('{"m":', '2'),
      { type: 'retry', error: { code: 'provider_error', message: 'No.' } },
      ...said('{"k":3'),
    ]);
    expect(objects(log).slice(2)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }, {}, { m: 2 }, { n: 1 }, { k: 3 }]);
  });

  test('is missing if the text is not JSON', () => {
    const log = inLog([
      structured,
      stepStart(0),
      ...said('{"n":1}'),
      stepStart(1),
      ...said('Well, ', '{"n":2}'),
    ]);
    expect(objects(log).slice(2)).toEqual([{ n: 1 }, { n: 1 }, undefined, undefined]);
    expect('object' in reduceAll(log)).toBe(false);
  });

  test('is not parsed without an output schema, nor in an agent', () => {
    const own = inLog([runStart, stepStart(0), ...said('{"n":1}'), { type: 'run-end', outcome: 'done' }]);
    expect(reduceAll(own)).not.toHaveProperty('object');
    expect(reduceAll(own)).toMatchObject({ result: '{"n":1}' });
    const agents = inLog([
      structured,
      stepStart(0),
      agentStart('a'),
      ...said('{"n":1}').map((body) => ({ ...body, agent: 'a' })),
      ...said('{"m":2}'),
    ]);
    expect(reduceAll(agents).object).toEqual({ m: 2 });
    expect(reduceAll(agents).agents[0]).not.toHaveProperty('object');
  });

  test('of a state does not change with its forks', () => {
    const trunk = inLog([structured, stepStart(0), ...said('{"n":[1')]);
    const state = reduceAll(trunk);
    const place = { seq: trunk.length, t: 100 };
    const warned = (from: RunState): RunState =>
      reduce(from, { ...place, seq: from.seq + 1, type: 'warning', message: '' });
    const more = (from: RunState, text: string): RunState =>
      reduce(from, { ...place, seq: from.seq + 1, type: 'text-delta', id: 'a', text });
    const left = more(more(state, ',2'), ',3]}');
    // one branch has fed the reader that the other one shares
    expect(warned(state).object).toEqual({ n: [1] });
    expect(more(warned(state), '0]').object).toEqual({ n: [10] });
    expect(more(state, ']}').object).toEqual({ n: [1] });
    expect(left.object).toEqual({ n: [1, 2, 3] });
    expect(warned(left).object).toBe(left.object);
    expect(state.object).toEqual({ n: [1] });
  });
});

describe('a run that continues in the same log', () => {
  const resume: RunEventBody = { type: 'run-resume', runId: 'r2', model: 'n', simulated: true };
  const task = { id: 'task-1', title: 'One', origin: 'author' } as const;
  const before: RunEventBody[] = [
    runStart,
    { type: 'variable-set', name: 'OLD', kind: 'text', value: 'x' },
    { type: 'task-add', task, index: 0 },
    stepStart(0),
    { type: 'task-update', taskId: 'task-1', by: 'model', status: 'in_progress' },
    { type: 'task-update', taskId: 'task-1', by: 'model', status: 'completed', result: '8' },
    { type: 'tool-input-end', toolCallId: '1', toolName: 'look', input: {} },
    { type: 'tool-end', toolCallId: '1', output: 'seen' },
    stepEnd(0),
  ];

  test('has another id and model, keeps its steps, calls and messages, and has the phase of a start', () => {
    const state = reduceAll(inLog(before));
    const after = reduce(state, { seq: before.length, t: before.length * 10, ...resume });
    expect(after).toStrictEqual({
      ...state,
      seq: before.length,
      elapsed: before.length * 10,
      runId: 'r2',
      model: 'n',
      simulated: true,
      tasks: [],
      variables: {},
      status: 'running',
      phase: 'requesting',
    });
    expect([after.steps, after.messages]).toEqual([state.steps, state.messages]);
    expect(after.steps).toBe(state.steps);
  });

  test('repeats its tasks, and ended tasks keep their times', () => {
    const again: RunEventBody[] = [
      resume,
      { type: 'task-add', task, index: 0 },
      { type: 'task-update', taskId: 'task-1', by: 'author', status: 'completed', result: '8' },
      { type: 'task-add', task: { ...task, id: 'task-2', title: 'Two' }, index: 1 },
    ];
    const { tasks } = reduceAll(inLog([...before, ...again]));
    expect(tasks).toEqual([
      {
        ...task,
        status: 'completed',
        attempts: 0,
        result: '8',
        seq: before.length + 2,
        startedAt: 40,
        finishedAt: 50,
      },
      { ...task, id: 'task-2', title: 'Two', status: 'pending', attempts: 0, seq: before.length + 3 },
    ]);
  });

  test('gives a task that ends again a new time', () => {
    const { tasks } = reduceAll(
      inLog([
        ...before,
        resume,
        { type: 'task-add', task, index: 0 },
        stepStart(1),
        { type: 'task-update', taskId: 'task-1', by: 'model', status: 'completed', result: '8' },
      ]),
    );
    expect(tasks[0]?.finishedAt).toBe((before.length + 3) * 10);
    expect(tasks[0]).not.toHaveProperty('startedAt');
  });

  test('ignores events after an end', () => {
    const ended = inLog([runStart, { type: 'run-end', outcome: 'stopped' }, resume]);
    expect(reduceAll(ended)).toStrictEqual(reduceAll(ended.slice(0, 2)));
  });
});
