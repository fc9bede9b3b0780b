// The example app's evals, from their cassettes: without a key, a network or a model.
import { expect, test } from 'vitest';
import { args, copyOfExample, offline } from './example-app.ts';
import { runCommand } from './run-command.ts';

const folder = copyOfExample();

test('the evals of the example app pass with their cassettes', { timeout: 60_000 }, async () => {
  const { code, output } = await runCommand(args, offline, folder());
  expect(code, output).toBe(0);
  expect(output).toContain('12/12 passed');
  expect(output.match(/^✓ /gm)).toHaveLength(4);
});
