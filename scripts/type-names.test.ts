// What TypeScript shows and declares for our functions: names of the packages.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const source = `
import { definePrompt, runPrompt } from '@cueline/core';
import { usePrompt } from '@cueline/react';
const planDay = definePrompt('plan-day', (prompt, input: { city: string }) => prompt.$\`\${input.city}\`);
export const usePlan = () => usePrompt(planDay);
export const useStatus = () => usePrompt(planDay, { watch: ['status'] });
export const useInline = () => usePrompt((prompt) => prompt.$\`Hi.\`);
export const runInline = () => runPrompt((prompt) => prompt.$\`Hi.\`, { model: 'openai:gpt-4o' });
`;

test(
  'usePrompt returns a PromptRun by name, and the result of runPrompt can be declared',
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(root, 'packages/react/test/types-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'hooks.ts'), source);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          outDir: 'out',
          rootDir: '/',
        },
        include: ['hooks.ts'],
      }),
    );
    await promisify(execFile)(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]);
    const types = await readFile(join(folder, 'out', folder.slice(1), 'hooks.d.ts'), 'utf8');
    const shown = [...types.matchAll(/declare const (\w+): \(\) => import\("@cueline\/react"\)\.(\w+)</g)];
    expect(shown.map(([, name, type]) => `${name}: ${type}`)).toEqual([
      'usePlan: PromptRun',
      'useStatus: PromptRun',
      'useInline: PromptRun',
    ]);
    // a library can export what it infers: each type is named by the package, and not by a file inside it
    expect(types).toContain('import("@cueline/core").TextOutput');
    // the type is not expanded
    expect(types).not.toContain('toolCalls');
  },
);
