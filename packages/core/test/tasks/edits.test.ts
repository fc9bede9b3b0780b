import type { TaskEdit, TaskStatus } from '@cueline/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finishTask, settleTask } from '../../src/tasks/author-list.ts';
import { createTask } from '../../src/tasks/dynamic.ts';
import { editTasks } from '../../src/tasks/edits.ts';
import { currentTask, isComplete, type TaskList } from '../../src/tasks/task-list.ts';
import { dynamicList, inStates, states, staticList, through, written } from './lists.ts';

const four = staticList(['Add', 'Multiply', 'Subtract', 'Divide']);

/** The order after an edit, or why there was none. */
function order(list: TaskList, edit: TaskEdit): string {
  const decision = editTasks(list, edit);
  return decision.accepted ? decision.list.items.map(({ title }) => title).join(' ') : decision.reply;
}

describe('the allowed positions in a static list', () => {
  const add = (index: number): TaskEdit => ({ type: 'add', title: 'New', index });
  const move = (taskId: string, index: number): TaskEdit => ({ type: 'move', taskId, index });
  const taken = 'is before a task that is finished or in progress. The index can be';

  test.each<[statuses: readonly TaskStatus[], edit: TaskEdit, outcome: string]>([
    [[], add(0), 'New Add Multiply Subtract Divide'],
    [[], add(4), 'Add Multiply Subtract Divide New'],
    [[], add(5), 'Index 5 is outside the list. The index can be 0 to 4.'],
    [[], add(-1), 'Index -1 is outside the list. The index can be 0 to 4.'],
    [['completed'], add(0), `Index 0 ${taken} 1 to 4.`],
    [['completed'], add(1), 'Add New Multiply Subtract Divide'],
    [['completed', 'in_progress'], add(1), `Index 1 ${taken} 2 to 4.`],
    [['completed', 'validating'], add(1), `Index 1 ${taken} 2 to 4.`],
    [['completed', 'failed'], add(1), `Index 1 ${taken} 2 to 4.`],
    [['completed', 'completed', 'completed', 'skipped'], add(3), `Index 3 ${taken} 4.`],
    // Tasks that were skipped earlier do not matter.
    [['in_progress', 'pending', 'skipped'], add(1), 'Add New Multiply Subtract Divide'],
    [[], move('task-3', 0), 'Subtract Add Multiply Divide'],
    [[], move('task-1', 3), 'Multiply Subtract Divide Add'],
    [[], move('task-1', 4), 'Index 4 is outside the list. The index can be 0 to 3.'],
    [[], move('task-2', 1), 'task-2 is at index 1 already.'],
    [['completed'], move('task-3', 0), `Index 0 ${taken} 1 to 3.`],
    [['completed', 'in_progress'], move('task-4', 2), 'Add Multiply Divide Subtract'],
    [['completed', 'in_progress'], move('task-4', 1), `Index 1 ${taken} 2 to 3.`],
    [['completed', 'pending'], move('task-2', 0), `Index 0 ${taken} 1 to 3.`],
  ])('with %j and %j', (statuses, edit, outcome) => {
    expect(order(inStates(four, statuses), edit)).toBe(outcome);
  });
});

describe('edits', () => {
  test('in a dynamic list a pending task can be at any position', () => {
    const list = inStates(
      through(
        dynamicList(),
        ...['Read', 'Write', 'Check'].map((title) => (l: TaskList) => createTask(l, title)),
      ),
      ['completed', 'in_progress'],
    );
    expect(order(list, { type: 'move', taskId: 'task-3', index: 0 })).toBe('Check Read Write');
    expect(order(list, { type: 'add', title: 'Print', index: 0 })).toBe('Print Read Write Check');
    expect(order(list, { type: 'add', title: 'Print', index: 4 })).toBe(
      'Index 4 is outside the list. The index can be 0 to 3.',
    );
  });

  test('the first task of an empty list follows nothing', () => {
    const decision = editTasks(dynamicList(), { type: 'add', title: ' Read the\nmanual ' });
    expect([written(decision), decision.reply]).toEqual([
      'add task-1 "Read the\\nmanual" at 0 by user',
      'The user added task-1 “Read the manual”.',
    ]);
  });

  test('the message to the model about a position names a neighbor', () => {
    expect(editTasks(four, { type: 'add', title: 'New', index: 0 }).reply).toBe(
      'The user added task-5 “New” before task-1.',
    );
    expect(editTasks(four, { type: 'move', taskId: 'task-4', index: 1 }).reply).toBe(
      'The user moved task-4 “Divide” after task-1.',
    );
  });

  test('a task that is added to a finished list opens it again', () => {
    const done = inStates(staticList(['Sum']), ['completed']);
    const { list } = editTasks(done, { type: 'add', title: 'Product' });
    expect([isComplete(done), isComplete(list), currentTask(list)?.id]).toEqual([true, false, 'task-2']);
  });

  test('the only task of a static list stays; a dynamic list may become empty', () => {
    const edit: TaskEdit = { type: 'remove', taskId: 'task-1' };
    expect(editTasks(staticList(['Sum']), edit).reply).toBe(
      'task-1 is the only task, and a list needs one. Rename it, skip it or resolve it.',
    );
    const { list } = editTasks(createTask(dynamicList(), 'Sum').list, edit);
    expect([list.items, isComplete(list), list.nextNumber]).toEqual([[], false, 2]);
  });

  test('an unchanged title is not an edit', () => {
    const decision = editTasks(four, { type: 'rename', taskId: 'task-1', title: ' Add ' });
    expect([decision.accepted, decision.reply]).toEqual([false, 'task-1 has this title already.']);
  });

  test.each([
    [undefined, 'task-1 skipped error=null by user', 'The user skipped task-1 “Add”.'],
    ['  ', 'task-1 skipped error=null by user', 'The user skipped task-1 “Add”.'],
    [
      'Not\nneeded',
      'task-1 skipped error="Not\\nneeded" by user',
      'The user skipped task-1 “Add”: Not needed',
    ],
  ])('a task is skipped with the reason %j', (reason, events, reply) => {
    const decision = editTasks(four, {
      type: 'skip',
      taskId: 'task-1',
      ...(reason === undefined ? {} : { reason }),
    });
    expect([written(decision), decision.reply]).toEqual([events, reply]);
  });

  test('retrying an earlier task pauses the current one', () => {
    const list = inStates(four, ['completed', 'completed', 'in_progress']);
    const decision = editTasks(list, { type: 'retry', taskId: 'task-1' });
    expect([written(decision), decision.reply]).toEqual([
      'task-3 pending by user; task-1 pending attempts=0 result=null error=null by user',
      'The user wants task-1 “Add” to be done again. task-3 “Subtract” waits until then.',
    ]);
    expect(states(decision.list)).toBe('task-1 pending, task-2 completed, task-3 pending, task-4 pending');
    expect(currentTask(decision.list)?.id).toBe('task-1');
  });

  test('a paused task keeps the feedback on its last result', () => {
    const { items } = through(
      four,
      (list) => finishTask(list, '8'),
      (list) => settleTask(list, 'task-1', undefined),
      (list) => finishTask(list, '15'),
      (list) => settleTask(list, 'task-2', 'Expected 16'),
      (list) => editTasks(list, { type: 'retry', taskId: 'task-1' }),
    );
    expect(items[1]).toMatchObject({ status: 'pending', attempts: 1, error: 'Expected 16' });
  });

  test('an earlier task cannot be retried while a result is validated, and a later one can', () => {
    const list = inStates(four, ['completed', 'validating', 'skipped']);
    expect(editTasks(list, { type: 'retry', taskId: 'task-1' }).reply).toBe(
      'task-1 cannot be retried while task-2 is being validated. Wait until that is over, or skip or resolve task-2.',
    );
    expect(editTasks(list, { type: 'retry', taskId: 'task-3' }).accepted).toBe(true);
  });

  test('a validation that hangs can be skipped, and its late result is ignored', () => {
    const validating = finishTask(four, '8').list;
    const skipped = editTasks(validating, { type: 'skip', taskId: 'task-1' });
    const resolved = editTasks(validating, { type: 'resolve', taskId: 'task-1', result: '9' });
    expect([skipped, resolved].map(({ list }) => currentTask(list)?.id)).toEqual(['task-2', 'task-2']);
    for (const feedback of [undefined, 'Expected 8']) {
      const settled = [skipped, resolved].map(({ list }) => settleTask(list, 'task-1', feedback));
      expect(settled.map((decision) => [written(decision), decision.reply])).toEqual([
        ['', 'The result was not used, because “Add” was skipped.'],
        ['', 'The result was not used, because “Add” is completed.'],
      ]);
    }
  });

  test('in a dynamic list, no task waits for a retried one', () => {
    const two = through(
      dynamicList(),
      (list) => createTask(list, 'Read'),
      (list) => createTask(list, 'Write'),
    );
    const decision = editTasks(inStates(two, ['completed', 'in_progress']), {
      type: 'retry',
      taskId: 'task-1',
    });
    expect(states(decision.list)).toBe('task-1 pending, task-2 in_progress');
  });

  test('a failed task lets the list continue once it is retried, skipped or resolved', () => {
    const list = inStates(four, ['completed', 'failed']);
    const current = (edit: TaskEdit) => currentTask(editTasks(list, edit).list)?.id;
    expect([
      currentTask(list)?.id,
      current({ type: 'retry', taskId: 'task-2' }),
      current({ type: 'skip', taskId: 'task-2' }),
      current({ type: 'resolve', taskId: 'task-2', result: '16' }),
    ]).toEqual([undefined, 'task-2', 'task-3', 'task-3']);
  });

  test('an unknown id is refused with at most twenty known ones', () => {
    const edit: TaskEdit = { type: 'retry', taskId: 'task-9' };
    expect(editTasks(four, edit).reply).toBe(
      'There is no task “task-9”. The list has: task-1, task-2, task-3, task-4.',
    );
    const long = staticList(Array.from({ length: 200 }, (_, index) => `Step ${index}`));
    expect(editTasks(long, { type: 'retry', taskId: 'constructor' }).reply).toMatch(
      /^There is no task “constructor”\. The list has: task-1, .*, task-20 and 180 more\.$/,
    );
  });

  test('a long title is quoted in part', () => {
    const { reply } = editTasks(four, { type: 'rename', taskId: 'task-1', title: '🙂'.repeat(80) });
    expect(reply).toBe(`The user renamed task-1 “Add” to “${'🙂'.repeat(50)}…”.`);
    const odd = editTasks(four, { type: 'rename', taskId: 'task-1', title: `x${'🙂'.repeat(80)}` });
    expect(odd.reply).toBe(`The user renamed task-1 “Add” to “x${'🙂'.repeat(49)}…”.`);
  });
});

describe('invalid edits', () => {
  const kinds = 'add, rename, remove, move, skip, retry, resolve';
  test.each([
    [undefined, `An edit is an object with a type, one of: ${kinds}.`],
    [null, `An edit is an object with a type, one of: ${kinds}.`],
    ['skip', `An edit is an object with a type, one of: ${kinds}.`],
    [{}, `The edit has no type. The types are: ${kinds}.`],
    [{ type: 7 }, `The edit has no type. The types are: ${kinds}.`],
    [{ type: 'explode', taskId: 'task-1' }, `There is no edit “explode”. The types are: ${kinds}.`],
    [{ type: 'constructor' }, `There is no edit “constructor”. The types are: ${kinds}.`],
    [{ type: 'skip' }, 'The edit “skip” needs taskId to be a string.'],
    [{ type: 'skip', taskId: 'task-1', reason: 5 }, 'The edit “skip” needs reason to be a string.'],
    [{ type: 'rename', taskId: 'task-1' }, 'The edit “rename” needs title to be a string.'],
    [
      { type: 'rename', taskId: 'task-1', title: ' ' },
      'The edit “rename” has an empty title. Give it a text.',
    ],
    [{ type: 'add', title: '' }, 'The edit “add” has an empty title. Give it a text.'],
    [{ type: 'add', title: 'New', index: '1' }, 'The edit “add” needs index to be a whole number.'],
    [{ type: 'add', title: 'New', index: null }, 'The edit “add” needs index to be a whole number.'],
    [{ type: 'move', taskId: 'task-1' }, 'The edit “move” needs index to be a whole number.'],
    [{ type: 'move', taskId: 'task-1', index: 0.5 }, 'The edit “move” needs index to be a whole number.'],
    [
      { type: 'resolve', taskId: 'task-1', result: '\n' },
      'The edit “resolve” has an empty result. Give it a text.',
    ],
  ])('%j', (edit, reason) => {
    const decision = editTasks(four, edit as TaskEdit);
    expect(decision).toEqual({ accepted: false, events: [], list: four, reply: reason });
  });

  test('no JSON value makes an edit throw', () => {
    const type = fc.constantFrom('add', 'rename', 'remove', 'move', 'skip', 'retry', 'resolve', '__proto__');
    const edit = fc.oneof(
      fc.anything(),
      fc.record({ type, taskId: fc.constantFrom('task-1', 'x'), title: fc.anything() }),
    );
    fc.assert(
      fc.property(edit, (edit) => {
        const { accepted, events, reply } = editTasks(four, edit as TaskEdit);
        expect([accepted, reply !== '']).toEqual([events.length > 0, true]);
      }),
    );
  });
});
