import type { RunEvent } from '@cueline/core';
import { createMemoryRuns } from '@cueline/edge';
import { expect, test } from 'vitest';
import { write } from './events.ts';

const says = (message: string): RunEvent => ({ seq: 0, t: 0, type: 'warning', message });
const end: RunEvent = { seq: 1, t: 0, type: 'run-end', outcome: 'done' };

function setUp(maxBytes: number) {
  const runs = createMemoryRuns({ maxBytes });
  return {
    runs,
    begin: (runId: string) => runs.create({ runId, subject: 's', runMs: 9_000, replayMs: 9_000 }),
    async known(...ids: string[]) {
      return (await Promise.all(ids.map((id) => runs.get(id)))).map((run) => run !== undefined);
    },
  };
}

test('with long logs, ended runs are forgotten early, and runs in progress never', async () => {
  const { runs, begin, known } = setUp(40_000);
  await begin('a');
  await write(runs, 'a', [says('x'.repeat(9_000))]);
  for (const runId of ['b', 'c']) {
    await begin(runId);
    await write(runs, runId, [says('x'.repeat(9_000)), end]);
  }
  expect(await known('a', 'b', 'c')).toEqual([true, true, true]);
  await begin('d');
  // not only when the next one begins
  await write(runs, 'd', [says('x'.repeat(9_000))]);
  expect(await known('a', 'b', 'c', 'd')).toEqual([true, false, true, true]);
  await write(runs, 'd', [end]);
  expect(await known('a', 'b', 'c', 'd')).toEqual([true, false, true, true]);
});

test('if all stored runs are in progress, no other begins', async () => {
  const { runs, begin, known } = setUp(20_000);
  await begin('a');
  await write(runs, 'a', [says('x'.repeat(20_000))]);
  await expect(begin('b')).rejects.toThrow('maxBytes');
  expect(await known('a', 'b')).toEqual([true, false]);
  await write(runs, 'a', [end]);
  expect(await begin('b')).toBe('created');
});

test('a text beyond Latin-1 counts as the two bytes that each of its characters takes', async () => {
  const { runs, begin, known } = setUp(30_000);
  await begin('a');
  await write(runs, 'a', [says('€'.repeat(13_000)), end]);
  expect(await known('a')).toEqual([true]);
  await begin('b');
  expect(await known('a', 'b')).toEqual([false, true]);
});

test('messages to a run count, up to the number that is kept', async () => {
  const { runs, begin } = setUp(1 << 20);
  await begin('a');
  const ping = { type: 'ping', id: 'x'.repeat(2_000) } as const;
  // some 400 KB of 2 MB
  for (let count = 0; count < 1_000; count += 1) await runs.send('a', ping);
  expect(await begin('b')).toBe('created');
  await begin('c');
  for (let count = 0; count < 400; count += 1) await runs.send(count % 2 === 0 ? 'b' : 'c', ping);
  await expect(begin('d')).rejects.toThrow('maxBytes');
});

test('a few long messages do not fill it either', async () => {
  const { runs, begin } = setUp(6 << 20);
  await begin('a');
  const ping = (id: string) => ({ type: 'ping', id: id.padEnd(500_000, '.') }) as const;
  for (let count = 0; count < 100; count += 1) await runs.send('a', ping(String(count)));
  expect(await begin('b')).toBe('created');
  const kept: string[] = [];
  for await (const message of runs.messages('a', AbortSignal.timeout(20))) {
    if (message.type === 'ping') kept.push(message.id);
  }
  expect(kept.length).toBe(8);
  expect(kept.at(-1)).toBe(ping('99').id);
});
