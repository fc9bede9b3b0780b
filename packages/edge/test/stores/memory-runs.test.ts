import { createMemoryRuns } from '@cueline/edge';
import { expect, test } from 'vitest';
import { describeRunLogStore } from './conformance.ts';
import { write } from './events.ts';

let passed = 0;
const store = createMemoryRuns({ now: () => performance.now() + passed });

describeRunLogStore('memory', {
  open: () => store,
  async advance(ms) {
    // what goes on a moment is waited for, as timers are real
    if (ms > 100) passed += ms;
    else await new Promise((resolve) => setTimeout(resolve, ms));
  },
});

test('without room, ended runs are forgotten, and nothing begins if all are in progress', async () => {
  const runs = createMemoryRuns({ maxRuns: 2 });
  const begin = (runId: string) =>
    runs.create({ runId, subject: 's', key: runId, runMs: 1_000, replayMs: 1_000 });
  const known = async () =>
    (await Promise.all(['a', 'b', 'c', 'd'].map((id) => runs.get(id)))).map((run) => run !== undefined);
  await begin('a');
  await begin('b');
  await write(runs, 'b', [{ seq: 0, t: 0, type: 'run-end', outcome: 'done' }]);
  await begin('c');
  expect(await known()).toEqual([true, false, true, false]);
  await expect(begin('d')).rejects.toThrow('There is no room for another run');
  expect(await known()).toEqual([true, false, true, false]);
  // one that has begun before needs no room
  expect(await begin('c')).toEqual({ runId: 'c' });
  await write(runs, 'a', [{ seq: 0, t: 0, type: 'run-end', outcome: 'done' }]);
  expect(await begin('d')).toBe('created');
});

test('messages to an ended run do not accumulate', async () => {
  const runs = createMemoryRuns();
  await runs.create({ runId: 'a', subject: 's', runMs: 1_000, replayMs: 1_000 });
  await runs.send('a', { type: 'ping', id: '1' });
  await write(runs, 'a', [{ seq: 0, t: 0, type: 'run-end', outcome: 'done' }]);
  await runs.send('a', { type: 'ping', id: '2' });
  const kept = [];
  for await (const message of runs.messages('a', AbortSignal.timeout(20))) kept.push(message);
  expect(kept).toEqual([{ type: 'ping', id: '1' }]);
});
