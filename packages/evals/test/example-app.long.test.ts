// More of the example app's evals; example-app.test.ts has what runs every time.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { args, copyOfExample, offline } from './example-app.ts';
import { runCommand } from './run-command.ts';

const folder = copyOfExample();

test('the evals of a changed prompt fail until they are recorded again', { timeout: 180_000 }, async () => {
  const file = join(folder(), 'prompts/front-desk.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('exactly one word', 'a single word'));
  const { code, output } = await runCommand([...args, 'classify'], offline, folder());
  expect(code, output).toBe(1);
  expect(output).toContain('cueline eval --record');
  expect(output).toContain('0/12 passed');
});
