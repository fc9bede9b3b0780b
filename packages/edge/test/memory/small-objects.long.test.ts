import process from 'node:process';
import { expect, test } from 'vitest';
import { runAttack } from './run-attack.ts';

test('a process with 1 GB of heap survives 5,000 bodies of small objects', async () => {
  const { statuses, hopeless, done, peak, left } = await runAttack(5_000, 1_024);
  process.stderr.write(
    `Answers: ${JSON.stringify(statuses)}. Heap: ${peak.toFixed()} MB at most, ${left.toFixed()} MB at the end.\n`,
  );
  const { 200: accepted = 0, 503: refused = 0, ...others } = statuses;
  expect(others).toEqual({});
  expect(accepted).toBeGreaterThan(0);
  expect(refused).toBe(5_000 - accepted);
  expect(hopeless).toBe(0);
  expect(done).toBe(accepted);
  expect(left).toBeLessThan(300);
}, 3_600_000);
