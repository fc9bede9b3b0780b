import type { RunEvent } from '@cueline/core';
import { createMemoryRuns } from '@cueline/edge';
import { expect, test } from 'vitest';

const says = (message: string): RunEvent => ({ seq: 0, t: 0, type: 'warning', message });
const end: RunEvent = { seq: 1, t: 0, type: 'run-end', outcome: 'done' };

test('where logs are long, what ended first is forgotten before there are many, and never what goes on', async () => {
  const runs = createMemoryRuns({ maxLength: 2_500 });
  const begin = (runId: string) => runs.create({ runId, subject: 's', runMs: 9_000, replayMs: 9_000 });
  const known = async () => {
    const found = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => runs.subjectOf(id)));
    return found.map((one) => one === 's');
  };
  await begin('a');
  await runs.append('a', [says('x'.repeat(1_000))]);
  for (const runId of ['b', 'c']) {
    await begin(runId);
    await runs.append(runId, [says('x'.repeat(1_000)), end]);
  }
  expect(await known()).toEqual([true, true, true, false, false]);
  await begin('d');
  expect(await known()).toEqual([true, false, true, true, false]);
  // there is room again: what is forgotten counts no more
  await begin('e');
  expect(await known()).toEqual([true, false, true, true, true]);
});
