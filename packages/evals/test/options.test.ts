// Options that the command refuses before it runs anything.
import { afterEach, expect, test, vi } from 'vitest';
import { main } from '../src/cli/main.ts';

const { exitCode } = process;
afterEach(() => {
  process.exitCode = exitCode;
  vi.restoreAllMocks();
});

test.each([
  [['--threshold', 'most'], '--threshold is "most". Write a number from 0 to 1.'],
  [['-t', 'happy', '--update-baseline', 'evals.json'], 'Leave out --test-name-pattern or --update-baseline.'],
  [['--shard', '1/2', '--update-baseline', 'evals.json'], 'Leave out --shard or --update-baseline.'],
  [['--watch', '--update-baseline', 'evals.json'], 'Leave out --watch or --update-baseline.'],
  [['-t', 'happy', '--record'], 'Leave out --test-name-pattern, or pass --extend'],
  [['--shard', '1/2', '--record'], 'Leave out --shard, or pass --extend'],
  [['--record', '--extend'], 'Pass --record or --extend, not both.'],
])('the exit code of %j is 2', async (options, message) => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  await main(['eval', ...options]);
  expect(printed.mock.calls).toEqual([[expect.stringContaining(message)]]);
  expect(process.exitCode).toBe(2);
});
