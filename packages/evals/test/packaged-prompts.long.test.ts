// The evals that the packaged prompts show are compiled, and run with a model on this machine.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPromptLibrary, packagedPrompts } from '@cueline/core/library';
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

test('the example code in the packaged prompts compiles and passes', { timeout: 180_000 }, async () => {
  const packaged = createPromptLibrary(packagedPrompts);
  const codeOf = (id: string): string => /```ts\n([^]*?)\n```/.exec(packaged.expandSystem(id))![1]!;
  writeFileSync(join(folder, 'generated.eval.ts'), codeOf('generate-evals'));
  writeFileSync(join(folder, 'parameters.eval.ts'), codeOf('generate-tests'));
  const options = {
    noEmit: true,
    declaration: false,
    isolatedDeclarations: false,
    noPropertyAccessFromIndexSignature: false,
  };
  const extended = fileURLToPath(new URL('../tsconfig.json', import.meta.url));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: extended, compilerOptions: options, include: ['*.ts'] }),
  );
  const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
  await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  const result = await runCommand(
    ['eval', '--config', join(project, 'vite.config.mjs'), '--output', '.cueline'],
    { ...server.env, EVAL_MODEL: 'local:mood' },
    folder,
  );
  expect(result, result.output).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(3);
});
