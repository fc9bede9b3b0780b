import { expect, test } from 'vitest';
import { finishTask, settleTask, startTask } from '../../src/tasks/author-list.ts';
import { completeTask, createTask, startTaskById } from '../../src/tasks/dynamic.ts';
import { renderWindow } from '../../src/tasks/render-window.ts';
import { currentTask, isComplete } from '../../src/tasks/task-list.ts';
import { dynamicList, staticList } from './lists.ts';

const titles = Array.from({ length: 50 }, (_, index) => `Step ${index + 1}`);

test('a static list of 50 tasks, each refused once, completes', () => {
  let list = staticList(titles);
  const windows: string[] = [];
  const replies: string[] = [];
  for (const [index, title] of titles.entries()) {
    const task = currentTask(list)!;
    expect(task.title).toBe(title);
    list = startTask(list).list;
    list = settleTask(finishTask(list, 'guess').list, task.id, 'Not yet').list;
    windows.push(renderWindow(list, { edits: [] })!);
    const settled = settleTask(finishTask(list, `result ${index + 1}`).list, task.id, undefined);
    replies.push(settled.reply);
    list = settled.list;
  }
  expect(list.items).toEqual(
    titles.map((title, index) => ({
      id: `task-${index + 1}`,
      title,
      origin: 'author',
      status: 'completed',
      attempts: 1,
      result: `result ${index + 1}`,
    })),
  );
  expect([isComplete(list), replies.at(-2), replies.at(-1)]).toEqual([
    true,
    '✓ Task completed successfully!\n\nNext task: Step 50',
    '✓ All tasks completed successfully! The task list is complete.',
  ]);
  // 49 finished tasks with a heading, a blank line, the current one and its feedback
  expect(windows.at(-1)!.split('\n')).toHaveLength(53);
  expect(windows[24]).toContain(
    '\n24. Step 24 → result 24\n\n[Task 25/50] Step 25\nYour last result was not accepted: Not yet\n\nUpcoming tasks:\n26. Step 26\n',
  );
});

test('a dynamic list of 50 tasks completes', () => {
  let list = dynamicList();
  for (const title of titles) list = createTask(list, title).list;
  for (const { id } of list.items) {
    list = startTaskById(list, id).list;
    expect(renderWindow(list, { edits: [] })).toContain(`Current task: [${id}] `);
    list = completeTask(list, id, `result of ${id}`).list;
  }
  expect([isComplete(list), list.nextNumber, list.items.at(-1)]).toEqual([
    true,
    51,
    {
      id: 'task-50',
      title: 'Step 50',
      origin: 'model',
      status: 'completed',
      attempts: 0,
      result: 'result of task-50',
    },
  ]);
});
