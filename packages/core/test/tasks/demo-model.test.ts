import { jsonSchema, streamText, tool, isStepCount, type ModelMessage } from 'ai';
import { demoModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { editTasks } from '../../src/tasks/edits.ts';
import { nudge } from '../../src/tasks/nudge.ts';
import { renderWindow } from '../../src/tasks/render-window.ts';
import { finishTask, settleTask, startTask } from '../../src/tasks/author-list.ts';
import type { TaskList } from '../../src/tasks/task-list.ts';
import { parsePrompt } from '../../../demo-model/src/parse-prompt.ts';
import { inStates, staticList, states } from './lists.ts';

/** The demo model on a list, with the window after the request; its calls, its last words, and the list afterwards. */
async function work(
  begun: TaskList,
  check: (taskId: string, result: string) => string | undefined = () => undefined,
): Promise<{ calls: string[]; text: string; list: TaskList }> {
  let list = begun;
  const calls: string[] = [];
  const apply = (name: string, decision: ReturnType<typeof startTask>): string => {
    calls.push(name);
    list = decision.list;
    return decision.reply;
  };
  const messages: ModelMessage[] = [
    { role: 'user', content: 'Do the sums.' },
    { role: 'user', content: renderWindow(list, { edits: [] })! },
  ];
  const result = streamText({
    model: demoModel({ pace: 0 }),
    messages,
    stopWhen: isStepCount(30),
    tools: {
      startTask: tool({
        inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
        execute: () => apply('startTask', startTask(list)),
      }),
      finishTask: tool({
        inputSchema: jsonSchema<{ result: string }>({
          type: 'object',
          properties: { result: { type: 'string' } },
          required: ['result'],
        }),
        execute: ({ result }) => {
          const finishing = finishTask(list, result);
          if (finishing.validate === undefined) return apply('finishTask', finishing);
          const { validate } = finishing;
          return apply('finishTask', settleTask(finishing.list, validate, check(validate, result)));
        },
      }),
    },
  });
  return { text: (await result.text).trim(), calls, list };
}

describe('the demo model reads the texts of a task list', () => {
  test('works through it', async () => {
    const { calls, text, list } = await work(staticList());
    expect(calls).toEqual(['startTask', 'finishTask', 'startTask', 'finishTask', 'startTask', 'finishTask']);
    expect(list.items.map(({ result }) => result)).toEqual([
      'Add 5 and 3: done.',
      'Multiply by 2: done.',
      'Subtract 6: done.',
    ]);
    expect(text).toContain('3 tasks are done.');
  });

  test('follows its feedback', async () => {
    const { calls, list } = await work(staticList(['Add 5 and 3']), (_taskId, result) =>
      result === '8' ? undefined : 'Answer with exactly "8".',
    );
    expect(calls.filter((name) => name === 'finishTask').length).toBeGreaterThan(1);
    expect(list.items[0]).toMatchObject({ status: 'completed', result: '8' });
  });

  test('stops at a failed task', async () => {
    const { calls, list } = await work(staticList(['Impossible', 'Never'], 2), () => 'still not right');
    expect(states(list)).toBe('task-1 failed, task-2 pending');
    expect(calls.length).toBeLessThan(10);
  });

  test('stops when all tasks have ended', async () => {
    const { calls, text } = await work(inStates(staticList(), ['completed', 'skipped', 'completed']));
    expect(calls).toEqual([]);
    expect(text).toContain('3 tasks are done.');
  });
});

describe('the current task of a conversation', () => {
  const read = (...texts: string[]): string | undefined =>
    parsePrompt(
      ['Do the sums.', ...texts].map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
    ).task;
  const middle = inStates(staticList(), ['completed', 'in_progress']);

  test('is the task that the window marks', () => {
    expect(read(renderWindow(staticList(), { edits: [] })!)).toBe('Add 5 and 3');
    expect(read(renderWindow(middle, { edits: [] })!)).toBe('Multiply by 2');
  });

  test('is not a task that a result or an edit mentions', () => {
    const resolved = editTasks(staticList(['Add', 'Multiply']), {
      type: 'resolve',
      taskId: 'task-1',
      result: '[Task 1/2] is 8',
    });
    expect(read(renderWindow(resolved.list, { edits: [resolved.reply] })!)).toBe('Multiply');
  });

  test('is the task that the nudge marks', () => {
    expect(read(renderWindow(staticList(), { edits: [] })!, nudge(middle))).toBe('Multiply by 2');
  });
});
