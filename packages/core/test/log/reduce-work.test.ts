import { initialState, reduce, reduceAll, type RunEventBody, type RunState } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { freeze, inLog, runStart, stepEnd, stepStart } from './any-events.ts';

describe('tasks', () => {
  const add = (id: string, index: number): RunEventBody => ({
    type: 'task-add',
    task: { id, title: id.toUpperCase(), origin: 'author' },
    index,
  });
  const update = (
    taskId: string,
    fields: Omit<Extract<RunEventBody, { type: 'task-update' }>, 'type' | 'taskId' | 'by'>,
  ): RunEventBody => ({ type: 'task-update', taskId, by: 'model', ...fields });

  test('go from the first task to a retry', () => {
    const a = { id: 'a', title: 'A', origin: 'author', attempts: 0 };
    const b = { id: 'b', title: 'B', origin: 'author', status: 'pending', attempts: 0, seq: 2 };
    const failedOnce = { ...a, attempts: 1, error: 'Too short.', startedAt: 30 };
    const failed = { ...failedOnce, status: 'failed', finishedAt: 60 };
    const completed = {
      ...a,
      status: 'completed',
      attempts: 1,
      result: 'Done.',
      startedAt: 30,
      finishedAt: 80,
    };
    const reset = { ...a, title: 'A!', status: 'pending', seq: 9 };
    const byHand = { ...b, status: 'completed', result: 'By hand.', seq: 11, finishedAt: 110 };
    const told: [RunEventBody, unknown[]][] = [
      [runStart, []],
      [add('a', 0), [{ ...a, status: 'pending', seq: 1 }]],
      [add('b', 1), [{ ...a, status: 'pending', seq: 1 }, b]],
      [update('a', { status: 'in_progress' }), [{ ...a, status: 'in_progress', seq: 3, startedAt: 30 }, b]],
      [update('a', { status: 'validating' }), [{ ...a, status: 'validating', seq: 4, startedAt: 30 }, b]],
      [
        update('a', { status: 'in_progress', attempts: 1, error: 'Too short.' }),
        [{ ...failedOnce, status: 'in_progress', seq: 5 }, b],
      ],
      [update('a', { status: 'failed' }), [{ ...failed, seq: 6 }, b]],
      [update('a', { title: 'A!' }), [{ ...failed, title: 'A!', seq: 7 }, b]],
      [
        update('a', { status: 'completed', result: 'Done.', error: null }),
        [{ ...completed, title: 'A!', seq: 8 }, b],
      ],
      [update('a', { status: 'pending', attempts: 0, result: null }), [reset, b]],
      [{ type: 'task-move', taskId: 'a', index: 1, by: 'user' }, [b, reset]],
      [update('b', { status: 'completed', result: 'By hand.' }), [byHand, reset]],
      [{ type: 'task-remove', taskId: 'a', by: 'user' }, [byHand]],
    ];
    const log = inLog(told.map(([body]) => body));
    for (const [place, [body, tasks]] of told.entries()) {
      expect(reduceAll(log.slice(0, place + 1)).tasks, JSON.stringify(body)).toStrictEqual(tasks);
    }
  });

  test('keep their identity if they did not change', () => {
    const before = reduceAll(inLog([runStart, add('a', 0), add('b', 1), add('c', 2)]));
    const after = (body: RunEventBody): RunState => reduce(before, { seq: 4, t: 40, ...body });
    const [a, b, c] = before.tasks;
    const updated = after(update('b', { status: 'in_progress' })).tasks;
    expect(updated[0]).toBe(a);
    expect(updated[2]).toBe(c);
    expect(updated[1]).not.toBe(b);
    const moved = after({ type: 'task-move', taskId: 'c', index: 0, by: 'user' }).tasks;
    expect(moved.map((task) => before.tasks.indexOf(task))).toEqual([2, 0, 1]);
    for (const nobody of [
      update('x', { status: 'failed' }),
      { type: 'task-remove', taskId: 'x', by: 'user' },
      { type: 'task-move', taskId: 'x', index: 0, by: 'user' },
      { type: 'warning', message: 'w' },
    ] satisfies RunEventBody[]) {
      expect(after(nobody).tasks).toBe(before.tasks);
    }
  });
});

describe('the calls inside a call', () => {
  const call: readonly RunEventBody[] = [
    runStart,
    stepStart(0),
    { type: 'tool-input-end', toolCallId: 'c', toolName: 'files', input: {} },
    { type: 'tool-start', toolCallId: 'c', toolName: 'files' },
  ];
  const begin = (index: number, name = 'read'): RunEventBody => ({
    type: 'sub-call-start',
    toolCallId: 'c',
    index,
    name,
    input: { index },
  });

  test('succeed, fail or are interrupted', () => {
    const log = inLog([
      ...call,
      begin(0),
      { type: 'sub-call-end', toolCallId: 'c', index: 0, output: 'whole', ms: 7 },
      begin(1, 'write'),
      { type: 'sub-call-end', toolCallId: 'c', index: 1, error: 'No such file.', ms: 8 },
      begin(2),
    ]);
    const ended = [
      { name: 'read', input: { index: 0 }, state: 'output-available', output: 'whole', startedAt: 40, ms: 7 },
      {
        name: 'write',
        input: { index: 1 },
        state: 'output-error',
        errorText: 'No such file.',
        startedAt: 60,
        ms: 8,
      },
    ];
    const open = { name: 'read', input: { index: 2 }, startedAt: 80 };
    const state = log.reduce((before, event) => freeze(reduce(before, event)), initialState);
    expect(state.toolCalls[0]!.subCalls).toStrictEqual([...ended, { ...open, state: 'running' }]);
    for (const end of [
      { type: 'run-end', outcome: 'stopped' },
      { type: 'tool-error', toolCallId: 'c', error: 'It took too long.' },
    ] satisfies RunEventBody[]) {
      const after = reduce(state, { seq: 9, t: 90, ...end }).toolCalls[0]!.subCalls!;
      expect(after).toStrictEqual([...ended, { ...open, state: 'interrupted' }]);
      expect(after[0]).toBe(state.toolCalls[0]!.subCalls![0]);
    }
  });

  test('have their events ignored if they are out of order, duplicate or without a call', () => {
    const sane = [...call, begin(0)];
    const state = reduceAll(inLog(sane));
    for (const body of [
      begin(0, 'again'),
      begin(2),
      begin(-1),
      begin(1e9),
      { ...begin(0), toolCallId: 'x' },
      { type: 'sub-call-end', toolCallId: 'c', index: 1, output: 1, ms: 1 },
      { type: 'sub-call-end', toolCallId: 'c', index: -1, output: 1, ms: 1 },
      { type: 'sub-call-end', toolCallId: 'c', index: '__proto__' as never, output: 1, ms: 1 },
    ] as RunEventBody[]) {
      const after = reduce(state, { seq: 5, t: 50, ...body });
      expect(after.toolCalls, JSON.stringify(body)).toStrictEqual(state.toolCalls);
    }
  });

  test('are separate for an id that a later step reuses', () => {
    const again = [stepStart(1), ...call.slice(2), begin(0, 'second')];
    const { toolCalls } = reduceAll(
      inLog([...call, begin(0, 'first'), { type: 'tool-end', toolCallId: 'c', output: 1 }, ...again]),
    );
    expect(toolCalls.map(({ subCalls }) => subCalls?.map(({ name, state }) => [name, state]))).toEqual([
      [['first', 'interrupted']],
      [['second', 'running']],
    ]);
  });
});

describe('feedback to the model between two steps', () => {
  const steer = (id: string, cause: 'tasks' | 'output' | 'user'): RunEventBody => ({
    type: 'steer',
    id,
    cause,
    text: `Mind ${id}.`,
  });
  const told = (bodies: readonly RunEventBody[]) => {
    const { steps, messages } = reduceAll(inLog([runStart, ...bodies]));
    expect(JSON.stringify(messages)).toContain('Mind');
    return steps.map(({ steered }) => steered?.map(({ id, cause, text }) => [id, cause, text]));
  };

  test('belongs to the step that follows, and is in the message', () => {
    const events = [
      steer('s0', 'user'),
      stepStart(0),
      stepEnd(0),
      steer('s1', 'tasks'),
      steer('s2', 'user'),
      stepStart(1),
      stepEnd(1),
      stepStart(2),
      stepEnd(2),
      steer('s3', 'output'),
    ];
    expect(told(events)).toEqual([
      [['s0', 'user', 'Mind s0.']],
      [
        ['s1', 'tasks', 'Mind s1.'],
        ['s2', 'user', 'Mind s2.'],
      ],
      undefined,
    ]);
  });

  test('belongs to the current step if one has begun', () => {
    const events = [steer('s0', 'tasks'), stepStart(0), steer('s1', 'user'), stepEnd(0), stepStart(1)];
    expect(told(events)).toEqual([
      [
        ['s0', 'tasks', 'Mind s0.'],
        ['s1', 'user', 'Mind s1.'],
      ],
      undefined,
    ]);
  });
});
