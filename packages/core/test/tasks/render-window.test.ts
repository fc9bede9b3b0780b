import { describe, expect, test } from 'vitest';
import { finishTask, settleTask } from '../../src/tasks/author-list.ts';
import { createTask } from '../../src/tasks/dynamic.ts';
import { editTasks } from '../../src/tasks/edits.ts';
import { nudge } from '../../src/tasks/nudge.ts';
import { renderWindow } from '../../src/tasks/render-window.ts';
import type { TaskList } from '../../src/tasks/task-list.ts';
import { dynamicList, inStates, staticList, through } from './lists.ts';

const none = { edits: [] };
const done = (result: string, taskId: string) => (list: TaskList) =>
  settleTask(finishTask(list, result).list, taskId, undefined);

describe('the window of a static list', () => {
  test('shows the first task before any work', () => {
    expect(renderWindow(staticList(), none)).toMatchInlineSnapshot(`
      "[Task 1/3] Add 5 and 3

      Upcoming tasks:
      2. Multiply by 2
      3. Subtract 6"
    `);
  });

  test("shows a refused result and the user's edits in the middle", () => {
    const refused = through(
      staticList(),
      done('8', 'task-1'),
      (list) => finishTask(list, '15'),
      (list) => settleTask(list, 'task-2', 'Incorrect. Expected 16, got 15'),
    );
    const renamed = editTasks(refused, { type: 'rename', taskId: 'task-3', title: 'Subtract 7' });
    const added = editTasks(renamed.list, { type: 'add', title: 'Say it in words' });
    expect(renderWindow(added.list, { edits: [renamed.reply, added.reply] })).toMatchInlineSnapshot(`
      "Completed tasks:
      1. Add 5 and 3 → 8

      [Task 2/4] Multiply by 2
      Your last result was not accepted: Incorrect. Expected 16, got 15

      Upcoming tasks:
      3. Subtract 7
      4. Say it in words

      Changes by the user:
      - The user renamed task-3 “Subtract 6” to “Subtract 7”.
      - The user added task-4 “Say it in words” after task-3."
    `);
  });

  test('shows the only task', () => {
    expect(renderWindow(staticList(['Sum']), none)).toMatchInlineSnapshot(`"[Task 1/1] Sum"`);
  });

  test('shows skipped tasks before and after the current one', () => {
    const list = through(
      staticList(['Add', 'Multiply', 'Subtract', 'Divide']),
      (list) => editTasks(list, { type: 'skip', taskId: 'task-1' }),
      (list) => editTasks(list, { type: 'skip', taskId: 'task-4', reason: 'Not needed' }),
    );
    expect(renderWindow(list, none)).toMatchInlineSnapshot(`
      "Completed tasks:
      1. Add (skipped)
      4. Divide (skipped: Not needed)

      [Task 2/4] Multiply

      Upcoming tasks:
      3. Subtract"
    `);
  });

  test('shows the end', () => {
    const list = through(staticList(['Sum', 'Product']), done('8', 'task-1'), done('', 'task-2'));
    expect(renderWindow(list, none)).toMatchInlineSnapshot(`
      "Completed tasks:
      1. Sum → 8
      2. Product

      All tasks are completed. Give your final answer."
    `);
  });

  test('shows a failed task', () => {
    expect(renderWindow(inStates(staticList(), ['completed', 'failed']), none)).toMatchInlineSnapshot(`
      "Completed tasks:
      1. Add 5 and 3 → result 1

      Task 2/3 failed after 5 attempts: Multiply by 2
      The last result was not accepted: Wrong again

      Upcoming tasks:
      3. Subtract 6"
    `);
  });

  test('keeps texts of many lines within their entry, and escapes marks in them', () => {
    const list = through(
      staticList(['Add\n\nUpcoming tasks:\n9. nothing', 'Multiply\r\n\r\n[Task 9/9] twice', 'Subtract\n6']),
      done('{\n  "sum": 8\n}\n\n[Task 1/3] is done', 'task-1'),
      (list) => finishTask(list, '15'),
      (list) => settleTask(list, 'task-2', 'Two faults:\n- too small\n- odd'),
    );
    expect(renderWindow(list, { edits: ['The user\nadded [Task 1/1].'] })).toMatchInlineSnapshot(`
      "Completed tasks:
      1. Add Upcoming tasks: 9. nothing → {
           "sum": 8
         }
         Task 1/3 is done

      [Task 2/3] Multiply
         Task 9/9 twice
      Your last result was not accepted: Two faults:
         - too small
         - odd

      Upcoming tasks:
      3. Subtract 6

      Changes by the user:
      - The user added Task 1/1."
    `);
  });

  test('has the results that later tasks need, and cuts a very long one, with a note', () => {
    const lines = (result: string) =>
      renderWindow(through(staticList(['Sum']), done(result, 'task-1')), none)!.split('\n')[1];
    expect(lines('x'.repeat(10_000))).toBe(`1. Sum → ${'x'.repeat(10_000)}`);
    expect(lines('x'.repeat(10_001))).toBe(`1. Sum → ${'x'.repeat(10_000)}… (cut: 10001 characters in all)`);
    // not through the middle of a character
    expect(lines(`x${'🙂'.repeat(5_000)}`)).toBe(
      `1. Sum → x${'🙂'.repeat(4_999)}… (cut: 10001 characters in all)`,
    );
  });
});

describe('the window of a dynamic list', () => {
  const four = through(
    dynamicList(),
    ...['Read', 'Write', 'Check', 'Print'].map((title) => (list: TaskList) => createTask(list, title)),
  );

  test('is empty before the first task', () => {
    expect(renderWindow(dynamicList(), none)).toBeUndefined();
  });

  test('shows pending tasks before one has begun', () => {
    expect(renderWindow(four, none)).toMatchInlineSnapshot(`
      "Pending tasks:
      - task-1: Read
      - task-2: Write
      - task-3: Check
      - task-4: Print"
    `);
  });

  test("shows a user's edit in the middle", () => {
    const list = inStates(four, ['completed', 'in_progress', 'pending', 'skipped']);
    expect(renderWindow(list, { edits: ['The user skipped task-4 “Print”: Not needed'] }))
      .toMatchInlineSnapshot(`
      "Completed tasks:
      - task-1: Read → result 1
      - task-4: Print (skipped: Not needed)

      Current task: [task-2] Write

      Pending tasks:
      - task-3: Check

      Changes by the user:
      - The user skipped task-4 “Print”: Not needed"
    `);
  });

  test('shows the end', () => {
    expect(renderWindow(inStates(four, ['completed', 'completed', 'completed', 'skipped']), none))
      .toMatchInlineSnapshot(`
      "Completed tasks:
      - task-1: Read → result 1
      - task-2: Write → result 2
      - task-3: Check → result 3
      - task-4: Print (skipped: Not needed)

      All tasks are completed. Give your final answer."
    `);
  });

  test('is empty after the user has removed the only task', () => {
    const { list, reply } = editTasks(createTask(dynamicList(), 'Read').list, {
      type: 'remove',
      taskId: 'task-1',
    });
    expect(renderWindow(list, none)).toBeUndefined();
    expect(renderWindow(list, { edits: [reply] })).toMatchInlineSnapshot(`
      "Changes by the user:
      - The user removed task-1 “Read”."
    `);
  });
});

describe('the nudge', () => {
  const dynamic = through(
    dynamicList(),
    ...Array.from({ length: 12 }, (_, index) => (list: TaskList) => createTask(list, `Step ${index + 1}`)),
  );

  test('names the open task of a static list', () => {
    expect(nudge(inStates(staticList(), ['completed', 'in_progress']))).toMatchInlineSnapshot(`
      "The task list is not complete. This task is still open:
      [Task 2/3] Multiply by 2
      Finish it with finishTask, and give its result."
    `);
  });

  test('names the task of a dynamic list that is in progress', () => {
    expect(nudge(inStates(dynamic, ['completed', 'in_progress']))).toMatchInlineSnapshot(`
      "The task list is not complete. task-2 is still in progress: “Step 2”.
      Finish it with completeTask, and give its result."
    `);
  });

  test('names the pending tasks of a dynamic list, ten at most', () => {
    const eleven = Array.from({ length: 11 }, () => 'completed' as const);
    expect(nudge(inStates(dynamic, eleven))).toMatchInlineSnapshot(`
      "The task list is not complete. Still pending: task-12 “Step 12”.
      Start one with startTask and finish it with completeTask, or take it off the list with deleteTask."
    `);
    expect(nudge(dynamic)).toMatchInlineSnapshot(`
      "The task list is not complete. Still pending: task-1 “Step 1”, task-2 “Step 2”, task-3 “Step 3”, task-4 “Step 4”, task-5 “Step 5”, task-6 “Step 6”, task-7 “Step 7”, task-8 “Step 8”, task-9 “Step 9”, task-10 “Step 10” and 2 more.
      Start one with startTask and finish it with completeTask, or take it off the list with deleteTask."
    `);
  });

  test('says what to do if no task is open', () => {
    expect(nudge(dynamicList())).toMatchInlineSnapshot(
      `"The task list is empty. Create a task with createTask."`,
    );
    expect(nudge(inStates(staticList(['Sum']), ['completed']))).toMatchInlineSnapshot(
      `"All tasks are completed. Give your final answer."`,
    );
    expect(nudge(inStates(staticList(), ['completed', 'failed']))).toMatchInlineSnapshot(
      `"The task list cannot go on: Task 2/3 failed after 5 attempts."`,
    );
  });
});
