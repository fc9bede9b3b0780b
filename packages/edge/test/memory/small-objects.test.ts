import { expect, test } from 'vitest';
import { runAttack } from './run-attack.ts';

test('a process survives a hundred bodies of small objects', async () => {
  // as objects they are more than 2 GB
  const { statuses, hopeless, done, left } = await runAttack(100, 700);
  const { 200: accepted = 0, 503: refused = 0, ...others } = statuses;
  expect(others).toEqual({});
  expect(accepted).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
  expect(hopeless).toBe(0);
  expect(done).toBe(accepted);
  expect(left).toBeLessThan(300);
}, 180_000);
