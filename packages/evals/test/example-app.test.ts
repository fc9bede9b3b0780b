// The example app's evals, from their cassettes: without a key, a network or a model.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
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

test('the evals of the example app are green from their cassettes', { timeout: 60_000 }, async () => {
  const { code, output } = await runCommand(args, offline, folder);
  expect(code, output).toBe(0);
  expect(output).toContain('12/12 passed');
  expect(output.match(/^✓ /gm)).toHaveLength(4);
});
