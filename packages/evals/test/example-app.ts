import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import { project } from './run-command.ts';

const app = fileURLToPath(new URL('../../../apps/evals-example', import.meta.url));
export const args = ['eval', '--config', join(project, 'vite.config.mjs')];
/** Every address leads nowhere. */
export const offline = {
  OPENAI_API_KEY: '',
  OLLAMA_API_BASE: 'http://127.0.0.1:1/v1',
  HTTPS_PROXY: 'http://127.0.0.1:1',
};

/** Gives each test of a file a copy of the example app's evals. The returned function tells its folder. */
export function copyOfExample(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(fileURLToPath(new URL('.example-', import.meta.url)));
    for (const part of ['evals', 'prompts', 'src'])
      cpSync(join(app, part), join(folder, part), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return () => folder;
}
