import { expect, test } from 'vitest';
import type { UnreadRuns } from './durable-readers-process.ts';
import { runProcess } from './run-attack.ts';

test('clients that leave a durable run unread keep its text, not its many small values', async () => {
  const { readers, taken } = await runProcess<UnreadRuns>('durable-readers-process.ts', [], 256);
  expect(readers).toBe(8);
  // the text of the run for each; its values would take 53
  expect(taken).toBeLessThan(10);
}, 60_000);
