import type { RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import { createEntryCount } from '../../src/sandbox/host/count-entries.ts';

const task = { seq: 0, t: 0, type: 'task-remove', taskId: 'a', by: 'user' } satisfies RunEvent;
const added = {
  seq: 0,
  t: 0,
  type: 'task-add',
  task: { id: 'a', title: 'A', origin: 'model' },
  index: 0,
} satisfies RunEvent;
const asked = {
  seq: 0,
  t: 0,
  type: 'request-open',
  requestId: 'r',
  kind: 'approval',
  toolCallId: 'c',
  toolName: 'go',
  input: {},
} satisfies RunEvent;

test('a run may make so many tasks, agents and requests each, and is told when it makes more', () => {
  const count = createEntryCount({ entries: 2 });
  const answers = [added, asked, task, task, task, added, asked, added].map((event) =>
    count(event)?.toJSON(),
  );
  expect(answers.slice(0, -1)).toEqual(Array.from({ length: 7 }, () => undefined));
  expect(answers.at(-1)).toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('more than 2 tasks in one run'),
  });
  expect(createEntryCount({ entries: 1_000 })(added)).toBeUndefined();
});
