// A package manager that ignores what packages need installs an older Vitest with the command.
import { expect, onTestFinished, test, vi } from 'vitest';
import type * as VitestNode from 'vitest/node';
import { main } from '../src/cli/main.ts';

vi.mock('vitest/node', async (original) => ({
  ...(await original<typeof VitestNode>()),
  version: '4.1.12',
}));

test('the command says which Vitest it needs', async () => {
  const { exitCode } = process;
  onTestFinished(() => void (process.exitCode = exitCode));
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  await main(['eval']);
  expect(printed.mock.calls).toEqual([
    [expect.stringMatching(/has Vitest 4\.1\.12.*npm install -D vitest@5/)],
  ]);
  expect(process.exitCode).toBe(2);
});
