import type { RunEventBody } from '@cueline/core';
import { expect, test } from 'vitest';
import { currentTaskOf, taskStarts } from '../../src/tasks/task-times.ts';
import { verdictOf } from '../../src/tasks/verdicts.ts';
import { called, logOf, start, stateOf, step } from '../transcript/run-events.ts';

const add = (id: string, origin: 'author' | 'model' = 'author'): RunEventBody => ({
  type: 'task-add',
  task: { id, title: `Do ${id}`, origin },
  index: 9,
});
const update = (taskId: string, by: 'author' | 'model' | 'user', change: object): RunEventBody => ({
  type: 'task-update',
  taskId,
  by,
  ...change,
});

/** A call of `finishTask`, with the events of the list while it ran. */
function handIn(toolCallId: string, between: readonly RunEventBody[], output: string): RunEventBody[] {
  return [
    ...called(toolCallId, 'finishTask', { result: 'r' }),
    { type: 'tool-start', toolCallId, toolName: 'finishTask' },
    ...between,
    { type: 'tool-end', toolCallId, output },
  ];
}
const validating = update('a', 'model', { status: 'validating', result: 'r' });
const refused = update('a', 'author', {
  status: 'in_progress',
  attempts: 1,
  result: null,
  error: 'Too short.',
});
const completed = update('a', 'author', { status: 'completed', error: null });

/** The verdicts of all calls of these events. */
function verdicts(bodies: readonly RunEventBody[]) {
  const log = logOf(bodies);
  return stateOf(bodies).toolCalls.map((call) => verdictOf(() => log, undefined, call));
}

test('a handed-in result is accepted or refused according to the events of the log, not to the text of the answer', () => {
  const bodies = [
    start,
    add('a'),
    ...step(0, handIn('c1', [validating, refused], 'All is well.')),
    // the same id again
    ...step(1, handIn('c1', [validating, completed], 'Validation failed: no.')),
    ...step(2, handIn('c2', [], 'There is nothing to do.')),
  ];
  expect(verdicts(bodies)).toEqual([
    { kind: 'refused', reason: 'Too short.' },
    { kind: 'accepted' },
    { kind: 'unused' },
  ]);
});

test('a result is not used if the user skips its task meanwhile; other tools have no verdict', () => {
  const skipped = update('a', 'user', { status: 'skipped' });
  const bodies = [
    start,
    add('a'),
    ...step(0, [
      ...handIn('c1', [validating, skipped], ''),
      ...called('c2', 'look'),
      { type: 'tool-start', toolCallId: 'c2', toolName: 'look' },
      { type: 'tool-end', toolCallId: 'c2', output: '' },
    ]),
  ];
  expect(verdicts(bodies)).toEqual([{ kind: 'unused' }, undefined]);
});

test('a growing log is read from the first new event', () => {
  const bodies = [start, add('a'), ...step(0, handIn('c1', [validating, refused], ''))];
  const all = logOf(bodies);
  const log = all.slice(0, 5);
  const [call] = stateOf(bodies).toolCalls;
  expect(verdictOf(() => log, undefined, call!)).toBeUndefined();
  log.push(...all.slice(5));
  expect(verdictOf(() => log, undefined, call!)).toEqual({ kind: 'refused', reason: 'Too short.' });
});

test('the first open task of an ordered list is worked on from the end of the task before', () => {
  const before = [start, add('a'), add('b'), ...step(0, handIn('c1', [validating, completed], ''))];
  const { tasks, steps } = stateOf(before);
  expect(currentTaskOf(tasks)?.id).toBe('b');
  const begunAt = steps[0]!.startedAt;
  const end = tasks[0]!.finishedAt!;
  expect([...taskStarts(tasks, begunAt)]).toEqual([['b', end]]);
  // the call that hands in the result is the first report of work to the list
  const after = stateOf([...before, update('b', 'model', { status: 'in_progress' })]).tasks;
  expect(taskStarts(after, begunAt).get('b')).toBe(end);
});

test('in a list of the model, no task is worked on before the model has started it', () => {
  const pending = stateOf([start, add('a', 'model'), add('b', 'model')]).tasks;
  expect(currentTaskOf(pending)).toBeUndefined();
  expect(taskStarts(pending, 0).size).toBe(0);
});
