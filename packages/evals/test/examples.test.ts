// The evals that the documentation shows run with a model on this machine.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from './model-server.ts';
import { project, runCommand } from './run-command.ts';

let server: ModelServer;
let folder: string;
beforeEach(async () => {
  server = await startModelServer();
  folder = mkdtempSync(fileURLToPath(new URL('.output-', import.meta.url)));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const config = ['--config', join(project, 'vite.config.mjs'), '--output', '.cueline'];
const documented = fileURLToPath(new URL('../../../docs/examples/evals', import.meta.url));

test('the evals of the documentation run', { timeout: 60_000 }, async () => {
  cpSync(documented, folder, { recursive: true });
  const { code, output } = await runCommand(
    ['eval', 'mood', 'many-cases', ...config, '--model', 'local:mood'],
    server.env,
    folder,
  );
  expect(output).toMatch(/^✓ mood$[^]*3\/3 passed/m);
  expect(output).toContain('The cassette has no answer of local:mood');
  expect(code).toBe(1);
});
