// More of the example app's evals; example-app.test.ts has what runs every time.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { project, runCommand } from './run-command.ts';

const app = fileURLToPath(new URL('../../../apps/evals-example', import.meta.url));
const args = ['eval', '--config', join(project, 'vite.config.mjs')];
/** Every address leads nowhere. */
const offline = {
  OPENAI_API_KEY: '',
  OLLAMA_API_BASE: 'http://127.0.0.1:1/v1',
  HTTPS_PROXY: 'http://127.0.0.1:1',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(fileURLToPath(new URL('.example-', import.meta.url)));
  for (const part of ['evals', 'prompts', 'src'])
    cpSync(join(app, part), join(folder, part), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a changed prompt is red until it is recorded again', { timeout: 180_000 }, async () => {
  const file = join(folder, 'prompts/front-desk.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('exactly one word', 'a single word'));
  const { code, output } = await runCommand([...args, 'classify'], offline, folder);
  expect(code, output).toBe(1);
  expect(output).toContain('cueline eval --record');
  expect(output).toContain('0/12 passed');
});
