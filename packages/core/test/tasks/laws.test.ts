import type { TaskEdit, TaskEvent, TaskItem } from '@cueline/core';
import { applyTaskEvent } from '@cueline/core/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finishTask, settleTask, startTask, touchTask } from '../../src/tasks/author-list.ts';
import { createTaskList } from '../../src/tasks/create-task-list.ts';
import type { Decision } from '../../src/tasks/decision.ts';
import {
  completeTask,
  createTask,
  deleteTask,
  describeTasks,
  startTaskById,
  updateTask,
} from '../../src/tasks/dynamic.ts';
import { editTasks } from '../../src/tasks/edits.ts';
import { nudge } from '../../src/tasks/nudge.ts';
import { renderWindow } from '../../src/tasks/render-window.ts';
import {
  currentTask,
  failedTask,
  isComplete,
  isOpen,
  isInProgress,
  openTasks,
  type TaskList,
} from '../../src/tasks/task-list.ts';
import { sample } from '../support/sample.ts';

type Action =
  | { act: 'start' | 'touch' }
  | { act: 'finish'; result: string }
  /** Of the task that is being validated, where `taskId` does not name another. */
  | { act: 'settle'; taskId: string | undefined; feedback: string | undefined }
  | { act: 'create'; title: string }
  | { act: 'update' | 'complete'; taskId: string; text: string }
  | { act: 'startById' | 'delete'; taskId: string }
  | { act: 'edit'; edit: TaskEdit };

function perform(list: TaskList, action: Action): Decision {
  switch (action.act) {
    case 'start':
      return startTask(list);
    case 'touch':
      return touchTask(list);
    case 'finish':
      return finishTask(list, action.result);
    case 'settle': {
      const validating = list.items.find(({ status }) => status === 'validating')?.id;
      return settleTask(list, action.taskId ?? validating ?? 'task-1', action.feedback);
    }
    case 'create':
      return createTask(list, action.title);
    case 'update':
      return updateTask(list, action.taskId, action.text);
    case 'complete':
      return completeTask(list, action.taskId, action.text);
    case 'startById':
      return startTaskById(list, action.taskId);
    case 'delete':
      return deleteTask(list, action.taskId);
    case 'edit':
      return editTasks(list, action.edit);
  }
}

const word = <const Word extends string>(...words: Word[]): fc.Arbitrary<Word> => fc.constantFrom(...words);

const taskId = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 7 }).map((number) => `task-${number}`) },
  { weight: 1, arbitrary: fc.constantFrom('', 'task-0', 'task-99', '__proto__') },
);
const text = fc.constantFrom('', ' ', 'one', 'two\nlines', '[Task 1/1] three');
const index = fc.integer({ min: -1, max: 8 });

const edit: fc.Arbitrary<TaskEdit> = fc.oneof(
  fc.record({ type: word('add'), title: text }),
  fc.record({ type: word('add'), title: text, index }),
  fc.record({ type: word('rename'), taskId, title: text }),
  fc.record({ type: word('remove'), taskId }),
  fc.record({ type: word('move'), taskId, index }),
  fc.record({ type: word('skip'), taskId, reason: text }),
  fc.record({ type: word('retry'), taskId }),
  fc.record({ type: word('resolve'), taskId, result: text }),
);
const edits = fc.record({ act: word('edit'), edit });

const staticActions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ act: word('start', 'touch') }),
  { weight: 3, arbitrary: fc.record({ act: word('finish'), result: text }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: word('settle'),
      taskId: fc.option(taskId, { nil: undefined, freq: 4 }),
      feedback: fc.option(text, { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: edits },
);

const dynamicActions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ act: word('create'), title: text }),
  fc.record({ act: word('update', 'complete'), taskId, text }),
  fc.record({ act: word('startById', 'delete'), taskId }),
  edits,
);

/** Everything that has happened to a list. */
type Story = {
  list: TaskList;
  events: readonly TaskEvent[];
  decisions: readonly { before: TaskList; made: Decision }[];
};

function tell(begun: Decision, actions: readonly Action[]): Story {
  let list = begun.list;
  const events = [...begun.events];
  const decisions: { before: TaskList; made: Decision }[] = [];
  for (const action of actions) {
    const made = perform(list, action);
    decisions.push({ before: list, made });
    events.push(...made.events);
    list = made.list;
  }
  return { list, events, decisions };
}

const staticStory = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 3 }),
    fc.array(staticActions, { size: 'large', maxLength: 60 }),
  )
  .map(([count, maxAttempts, actions]) => {
    const titles = Array.from({ length: count }, (_, at) => `Step ${at + 1}`);
    return tell(createTaskList({ kind: 'static', titles, maxAttempts }), actions);
  });

const dynamicStory = fc
  .array(dynamicActions, { size: 'large', maxLength: 60 })
  .map((actions) => tell(createTaskList({ kind: 'dynamic', titles: [], maxAttempts: 5 }), actions));

describe.each([
  ['static', staticStory],
  ['dynamic', dynamicStory],
])('for any actions of model and user on a %s list', (kind, stories) => {
  function always(law: (story: Story) => void): void {
    fc.assert(fc.property(stories, law), { numRuns: sample(500) });
  }
  function atEveryMoment(law: (list: TaskList) => void): void {
    always(({ list, decisions }) => {
      for (const { before } of decisions) law(before);
      law(list);
    });
  }

  test('its tasks are the reduction of its events', () => {
    always(({ list, events }) => {
      let items: readonly TaskItem[] = [];
      for (const event of events) items = applyTaskEvent(items, event);
      expect(list.items).toEqual(items);
    });
  });

  test('a refused action changes nothing and has a reason', () => {
    always(({ decisions }) => {
      for (const { before, made } of decisions) {
        expect(made.events.length > 0).toBe(made.accepted);
        if (!made.accepted) expect(made.list).toBe(before);
      }
    });
  });

  test('at most one task is in progress', () => {
    atEveryMoment((list) => expect(list.items.filter(isInProgress).length).toBeLessThanOrEqual(1));
  });

  test('no id is used twice, not even after its task is gone', () => {
    always(({ events }) => {
      const ids = events.flatMap((event) => (event.type === 'task-add' ? [event.task.id] : []));
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  test('it is complete exactly if all tasks are done', () => {
    atEveryMoment((list) => {
      const ended = list.items.every(({ status }) => status === 'completed' || status === 'skipped');
      expect(isComplete(list)).toBe(list.items.length > 0 && ended);
      if (openTasks(list).length > 0) expect(isComplete(list)).toBe(false);
    });
  });

  test('it always has a next task, or is complete, failed or empty', () => {
    atEveryMoment((list) => {
      const canGoOn = currentTask(list) !== undefined || (kind === 'dynamic' && openTasks(list).length > 0);
      const stands = isComplete(list) || failedTask(list) !== undefined || list.items.length === 0;
      expect(canGoOn).toBe(!stands);
    });
  });

  test('only a completed or validated task has a result', () => {
    atEveryMoment(({ items }) => {
      for (const { status, result } of items) {
        expect(result !== undefined).toBe(status === 'completed' || status === 'validating');
      }
    });
  });

  test('attempts stay within their limit, and a task fails exactly at the limit', () => {
    atEveryMoment(({ items, maxAttempts }) => {
      for (const { status, attempts } of items) {
        expect(attempts).toBeLessThanOrEqual(maxAttempts);
        if (isOpen({ status } as TaskItem)) expect(attempts).toBeLessThan(maxAttempts);
        if (status === 'failed') expect(attempts).toBe(maxAttempts);
      }
    });
  });

  test('the events of one decision have one origin: the author, the model or the user', () => {
    always(({ decisions }) => {
      for (const { made } of decisions) {
        const by = made.events.map((event) => (event.type === 'task-add' ? event.task.origin : event.by));
        expect(new Set(by).size).toBeLessThanOrEqual(1);
      }
    });
  });

  test('it can always be rendered as text', () => {
    atEveryMoment((list) => {
      const window = renderWindow(list, { edits: [] });
      expect(window === undefined).toBe(list.items.length === 0);
      // one line for each task that is not in progress, whatever is in the texts
      const entries = window?.split('\n').filter((line) => /^(\d+\.|- task-\d+:) /.test(line)) ?? [];
      const other = currentTask(list) ?? failedTask(list);
      const failed = list.items.filter(({ status }) => status === 'failed').length;
      expect(entries.length).toBe(list.items.length - (other === undefined ? 0 : Math.max(1, failed)));
      expect(nudge(list)).not.toBe('');
      expect(describeTasks(list)).not.toBe('');
    });
  });
});

test('in a static list, all tasks before the current one have ended, and only that one is in progress', () => {
  fc.assert(
    fc.property(staticStory, ({ decisions }) => {
      for (const { before: list } of decisions) {
        const current = currentTask(list);
        const at = list.items.findIndex((task) => task === current);
        expect(list.items.slice(0, Math.max(0, at)).some(isOpen)).toBe(false);
        expect(list.items.filter((task) => isInProgress(task) && task !== current)).toEqual([]);
      }
    }),
    { numRuns: sample(500) },
  );
});

test('the mark of the current task is the only one in the window', () => {
  fc.assert(
    fc.property(staticStory, ({ list }) => {
      const marks = renderWindow(list, { edits: ['The user added “[Task 7/7]”.'] })?.match(
        /\[Task \d+\/\d+\]/g,
      );
      const current = currentTask(list);
      const place = list.items.findIndex((task) => task === current) + 1;
      expect(marks ?? []).toEqual(current === undefined ? [] : [`[Task ${place}/${list.items.length}]`]);
    }),
  );
});

test('events about unknown tasks, in any order, have no effect', () => {
  const anyId = fc.oneof(fc.string(), fc.constantFrom('task-1', 'task-2', '__proto__', 'constructor'));
  const by = word('author', 'model', 'user');
  const place = fc.oneof(fc.integer(), fc.constantFrom(Number.NaN, Infinity, 0.5));
  const event: fc.Arbitrary<TaskEvent> = fc.oneof(
    fc.record({
      type: word('task-add'),
      task: fc.record({ id: anyId, title: fc.string(), origin: by }),
      index: place,
    }),
    fc.record({
      type: word('task-update'),
      taskId: anyId,
      by,
      result: fc.option(fc.string()),
    }),
    fc.record({ type: word('task-move'), taskId: anyId, index: place, by }),
    fc.record({ type: word('task-remove'), taskId: anyId, by }),
  );
  fc.assert(
    fc.property(fc.array(event, { size: 'large', maxLength: 40 }), (events) => {
      let items: readonly TaskItem[] = [];
      for (const one of events) {
        const known = 'taskId' in one && items.some(({ id }) => id === one.taskId);
        const after = applyTaskEvent(items, one);
        if ('taskId' in one && !known) expect(after).toEqual(items);
        expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
        items = after;
      }
    }),
    { numRuns: sample(500) },
  );
});
