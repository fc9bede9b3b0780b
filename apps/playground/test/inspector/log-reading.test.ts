import { reduceAll, type RunEventBody } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { eventsOfCall, rowsOfCall } from '../../src/inspector/call/call-rows.ts';
import { usesOfDefinition } from '../../src/inspector/definition/definition-uses.ts';
import { variableHistory } from '../../src/inspector/definition/variable-history.ts';
import { eventsIn, rangeOfStep } from '../../src/inspector/step-events.ts';
import { groupEvents } from '../../src/inspector/step/event-groups.ts';
import { readResponse } from '../../src/inspector/step/response-rows.ts';
import { notesOfStep } from '../../src/inspector/step/step-notes.ts';
import { taskDuring } from '../../src/inspector/task-during.ts';
import { called, logOf, ran, start, step } from '../transcript/run-events.ts';

const set = (name: string, value: string): RunEventBody => ({
  type: 'variable-set',
  name,
  kind: 'text',
  value,
});

describe('the events of a step', () => {
  const log = logOf([start, ...step(0, called('c1', 'look')), ...step(0, [], 'c1'), ...step(1, [])]);

  test('are the events up to the next step of the same agent', () => {
    const range = rangeOfStep(log, undefined, 0, Infinity)!;
    expect(eventsIn(log, range, undefined).map(({ type }) => type)).toEqual([
      'run-start',
      'step-start',
      'tool-input-start',
      'tool-input-end',
      'step-end',
    ]);
    const ofAgent = rangeOfStep(log, 'c1', 0, Infinity)!;
    expect(eventsIn(log, ofAgent, 'c1').map(({ seq }) => seq)).toEqual([5, 6]);
  });

  test('include those of an attempt that was cut off before the step continued', () => {
    const [begin, ...rest] = step(0, []);
    const broken: RunEventBody = { type: 'retry', error: { code: 'interrupted', message: 'Gone.' } };
    const continued = logOf([start, begin!, broken, begin!, ...rest, ...step(1, [])]);
    expect(rangeOfStep(continued, undefined, 0, Infinity)).toEqual({ start: 0, end: 5 });
    expect(rangeOfStep(continued, undefined, 1, Infinity)).toEqual({ start: 5, end: 7 });
  });

  test('end at the moment that is shown, and a later step has none', () => {
    expect(rangeOfStep(log, undefined, 0, 2)).toEqual({ start: 0, end: 3 });
    expect(rangeOfStep(log, undefined, 1, 2)).toBeUndefined();
  });

  test('are found in a growing log, and in a log that starts over', () => {
    const growing = logOf([start, ...step(0, [])]);
    expect(rangeOfStep(growing, undefined, 1, Infinity)).toBeUndefined();
    growing.push(...logOf([start, ...step(0, []), ...step(1, [])]).slice(3));
    expect(rangeOfStep(growing, undefined, 1, Infinity)).toEqual({ start: 3, end: 5 });
    growing.splice(
      0,
      growing.length,
      ...logOf([{ ...start, runId: 'again' }, set('A', '1'), ...step(0, [])]),
    );
    expect(rangeOfStep(growing, undefined, 1, Infinity)).toBeUndefined();
  });
});

test('each value of a variable has its time and the first step that sent it', () => {
  const log = logOf([
    start,
    set('CITY', 'Faro'),
    ...step(0, []),
    set('CITY', 'Faro'),
    ...step(1, []),
    set('CITY', 'Lisbon'),
    set('OTHER', 'x'),
    ...step(2, []),
    { type: 'variable-unset', name: 'CITY' },
  ]);
  const history = (until: number) =>
    variableHistory('CITY', [{ turn: 0, log, until }]).map((change) => [change.step, change.t, change.value]);
  expect(history(Infinity)).toEqual([
    [0, 10, 'Faro'],
    [2, 70, 'Lisbon'],
    [undefined, 110, undefined],
  ]);
  expect(history(7)).toEqual([
    [0, 10, 'Faro'],
    [undefined, 70, 'Lisbon'],
  ]);
});

test('a definition is in the steps that sent it, with its tokens and whether it changed', () => {
  const sends = (step: number, text: string): RunEventBody => ({
    type: 'step-start',
    step,
    request: {
      keep: 0,
      messages: [],
      instructions: text,
      instructionParts: [{ kind: 'system', name: 'role', start: 0, end: text.length }],
    },
  });
  const state = reduceAll(
    logOf([start, sends(0, 'role: be kind'), ...step(1, []), sends(2, 'role: be brief'), sends(3, '')]),
  );
  expect(usesOfDefinition('system', 'role', [state]).map(({ tokens, changed }) => [tokens, changed])).toEqual(
    [
      [4, false],
      [4, false],
      [4, true],
    ],
  );
});

describe('a response', () => {
  test('has its parts in order, and marks those of a failed attempt as void', () => {
    const { rows, lastOutputAt } = readResponse(
      logOf([
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', text: 'It bro' },
        { type: 'retry', error: { code: 'network', message: 'The connection broke.' } },
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', text: 'Hm' },
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', text: 'Fi' },
        { type: 'text-delta', id: '0', text: 'ne' },
        ...called('c1', 'look'),
        ...ran('c1', 'look', 1),
      ]),
    );
    expect(rows.map((row) => [row.kind, 'text' in row ? row.text : '', row.isVoid])).toEqual([
      ['text', 'It bro', true],
      ['reasoning', 'Hm', false],
      ['text', 'Fine', false],
      ['call', '', false],
    ]);
    expect(lastOutputAt).toBe(90);
  });

  test('is in the log as events, and the deltas of a text share a row', () => {
    const groups = groupEvents(
      logOf([
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', text: 'a' },
        { type: 'text-delta', id: '0', text: 'b' },
        { type: 'text-delta', id: '1', text: 'c' },
      ]),
    );
    expect(groups.map(({ type, events }) => [type, events.length])).toEqual([
      ['text-start', 1],
      ['text-delta', 2],
      ['text-delta', 1],
    ]);
  });
});

test('retries, warnings and messages to the model are notes with their time and reason', () => {
  const earlier = logOf([start, { type: 'steer', id: 's', cause: 'tasks', text: 'Tasks are open.' }]);
  const events = logOf([
    { type: 'step-start', step: 1, request: { keep: 0, messages: [] } },
    { type: 'warning', message: 'Slow.' },
    {
      type: 'retry',
      error: { code: 'overloaded', message: 'Overloaded.' },
      attempt: 2,
      maxAttempts: 3,
      delayMs: 500,
    },
  ]);
  const step = { steered: [{ id: 's', cause: 'tasks' as const, text: 'Tasks are open.' }] };
  expect(notesOfStep(step, events, earlier, 'answer').map(({ t, label, text }) => [t, label, text])).toEqual([
    [10, 'Reminded: tasks are open', 'Tasks are open.'],
    [10, 'Warning', 'Slow.'],
    [20, 'Attempt 2 of 3, after 500 ms', 'Overloaded.'],
  ]);
});

describe('a call', () => {
  const log = logOf([
    start,
    { type: 'task-add', task: { id: 'a', title: 'Count', origin: 'author' }, index: 0 },
    { type: 'task-add', task: { id: 'b', title: 'Send', origin: 'author' }, index: 1 },
    { type: 'task-update', taskId: 'a', by: 'model', status: 'completed' },
    ...step(0, [
      ...called('c1', 'send', { to: 'Ada' }),
      {
        type: 'approval-request',
        approvalId: 'q',
        toolCallId: 'c1',
        toolName: 'send',
        input: {},
        reason: 'New',
      },
      { type: 'approval-response', approvalId: 'q', response: { approved: true } },
      { type: 'tool-start', toolCallId: 'c1', toolName: 'send', effect: 'external' },
      { type: 'tool-error', toolCallId: 'c1', error: 'Full', source: 'tool', ms: 7 },
    ]),
    // a model may use an id again
    ...step(1, [...called('c1', 'send'), ...ran('c1', 'send', true)]),
  ]);
  const state = reduceAll(log);
  const [first, second] = state.toolCalls;

  test('has its times, its approval, its effect and where its error comes from', () => {
    const events = eventsOfCall(log, first!, { path: undefined, start: 4, until: Infinity });
    const rows = rowsOfCall(first!, events, state.approvals[0], 'Send');
    expect(rows.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'Called: at 50 ms',
      'Arguments: written in 10 ms',
      'Waited: 30 ms',
      'Ran: 7 ms',
      'Approval: Approved, asked at 70 ms',
      'Reason: New',
      'Effect: Has an effect outside',
      'Error from: The tool’s own code',
      'Task: Send',
      'Call id: c1',
    ]);
  });

  test('has only its own events, and shows that an earlier call’s result answered it', () => {
    const events = eventsOfCall(log, second!, { path: undefined, start: 11, until: Infinity });
    expect(events.map(({ type }) => type)).toEqual([
      'tool-input-start',
      'tool-input-end',
      'tool-start',
      'tool-end',
    ]);
    const rows = rowsOfCall({ ...second!, repeated: true }, events, undefined, undefined);
    expect(rows.map(({ name }) => name)).toContain('Repeated');
  });

  test('that ran before the run was interrupted did not wait in that time', () => {
    const begin: RunEventBody = { type: 'tool-start', toolCallId: 'c1', toolName: 'read' };
    const resumed: RunEventBody = { type: 'run-resume', runId: 'again', model: 'simulated:demo' };
    const continued = logOf([
      start,
      ...step(0, [...called('c1', 'read'), begin]),
      resumed,
      ...ran('c1', 'read', 'text'),
    ]);
    const [call] = reduceAll(continued).toolCalls;
    const events = eventsOfCall(continued, call!, { path: undefined, start: 1, until: Infinity });
    const rows = rowsOfCall(call!, events, undefined, undefined).map(
      ({ name, value }) => `${name}: ${value}`,
    );
    expect(rows.slice(2, 5)).toEqual(['Waited: 20 ms', 'Interrupted: after 20 ms', 'Ran: 10 ms']);
  });

  test('belongs to the task that was open when it was made', () => {
    expect(taskDuring(log, undefined, 1)).toBe('Count');
    expect(taskDuring(log, undefined, 5)).toBe('Send');
    expect(taskDuring(log, 'c1', 5)).toBeUndefined();
  });
});
