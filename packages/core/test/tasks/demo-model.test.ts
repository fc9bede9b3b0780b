import { describe, expect, test } from 'vitest';
import { parsePrompt } from '../../../demo-model/src/parse-prompt.ts';
import { editTasks } from '../../src/tasks/edits.ts';
import { nudge } from '../../src/tasks/nudge.ts';
import { renderWindow } from '../../src/tasks/render-window.ts';
import { inStates, staticList } from './lists.ts';

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
