import { expect, test } from 'vitest';
import { completeTask, createTask, startTaskById } from '../../src/tasks/dynamic.ts';
import { renderWindow } from '../../src/tasks/render-window.ts';
import { finishTask, settleTask, startTask } from '../../src/tasks/author-list.ts';
import { currentTask, isComplete } from '../../src/tasks/task-list.ts';
import { dynamicList, staticList } from './lists.ts';

const titles = Array.from({ length: 200 }, (_, index) => `Step ${index + 1}`);

test('a static list of 200 tasks, each refused once, completes quickly', () => {
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
    '✓ Task completed successfully!\n\nNext task: Step 200',
    '✓ All tasks completed successfully! The task list is complete.',
  ]);
  // 199 finished tasks with a heading, a blank line, the current one and its feedback
  expect(windows.at(-1)!.split('\n')).toHaveLength(203);
  expect(windows[99]).toContain(
    '\n99. Step 99 → result 99\n\n[Task 100/200] Step 100\nYour last result was not accepted: Not yet\n\nUpcoming tasks:\n101. Step 101\n',
  );
});

test('a dynamic list of 200 tasks completes quickly', () => {
  let list = dynamicList();
  for (const title of titles) list = createTask(list, title).list;
  for (const { id } of list.items) {
    list = startTaskById(list, id).list;
    expect(renderWindow(list, { edits: [] })).toContain(`Current task: [${id}] `);
    list = completeTask(list, id, `result of ${id}`).list;
  }
  expect([isComplete(list), list.nextNumber, list.items.at(-1)]).toEqual([
    true,
    201,
    {
      id: 'task-200',
      title: 'Step 200',
      origin: 'model',
      status: 'completed',
      attempts: 0,
      result: 'result of task-200',
    },
  ]);
});
