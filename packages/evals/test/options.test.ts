// Options that the command refuses before it runs anything.
import { afterEach, expect, test, vi } from 'vitest';
import { main } from '../src/cli/main.ts';

const { exitCode } = process;
afterEach(() => {
  process.exitCode = exitCode;
  vi.restoreAllMocks();
});

test.each([
  [['-t', 'happy', '--update-baseline', 'evals.json'], 'Leave --test-name-pattern or --update-baseline out.'],
  [['--shard', '1/2', '--update-baseline', 'evals.json'], 'Leave --shard or --update-baseline out.'],
  [['--watch', '--update-baseline', 'evals.json'], 'Leave --watch or --update-baseline out.'],
  [['-t', 'happy', '--record'], 'Leave --test-name-pattern out, or pass --extend'],
  [['--shard', '1/2', '--record'], 'Leave --shard out, or pass --extend'],
  [['--record', '--extend'], 'Pass --record or --extend, not both.'],
])('%j is code 2', async (options, message) => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  await main(['eval', ...options]);
  expect(printed.mock.calls).toEqual([[expect.stringContaining(message)]]);
  expect(process.exitCode).toBe(2);
});
