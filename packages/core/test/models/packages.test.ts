import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { CuelineError } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

/** What a model of Anthropic's is refused with when its package fails to load like this. */
async function refusal(cause: unknown): Promise<CuelineError> {
  const error = await resolveModel('anthropic:claude', {
    env: { ANTHROPIC_API_KEY: 'key' },
    packages: { anthropic: () => Promise.reject(cause) },
  }).catch((error: unknown) => error);
  if (!CuelineError.isInstance(error)) throw new Error('The model was not refused.');
  return error;
}

const notInstalled = new Error("Cannot find package '@ai-sdk/anthropic' imported from /app/packages.js");

beforeEach(() => vi.stubEnv('npm_config_user_agent', 'npm/11.0.0 node/v24.0.0 linux x64'));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('a package that is not installed', () => {
  test('is reported with the command that installs it', async () => {
    const error = await refusal(notInstalled);
    expect(error.code).toBe('missing_package');
    expect(error.message).toMatchInlineSnapshot(
      `"Models of "anthropic" need the package @ai-sdk/anthropic, which is not installed. Install it: npm install @ai-sdk/anthropic"`,
    );
    expect(error.details).toEqual({ package: '@ai-sdk/anthropic' });
    expect(error.cause).toBe(notInstalled);
  });

  test.each([
    ['Node', "Cannot find package 'google-auth' imported from /app/node_modules/a/index.js"],
    ['Bun', "Cannot find package 'google-auth' from '/app/node_modules/a/index.js'"],
    ['webpack and Turbopack', "Cannot find module 'google-auth'"],
    ['Vite', 'Could not resolve "google-auth" imported by "a". Is it installed?'],
    ['Chrome', "Failed to resolve module specifier 'google-auth'"],
    ['Firefox', 'The specifier “google-auth” was a bare specifier, but was not remapped to anything.'],
    ['Safari', "Module name, 'google-auth' does not resolve to a valid URL."],
    ['workerd', 'No such module "google-auth".'],
    ['Deno', 'Import "google-auth" not a dependency'],
    ['a file of the package', "Cannot find module 'google-auth/build/src/index.js'"],
  ])('is found in the error message of %s', async (_, message) => {
    const error = await refusal(new Error(message));
    expect(error.code).toBe('missing_package');
    expect(error.message).toContain('need the package google-auth, which is not installed');
  });

  test('a package that exists but does not load reports why', async () => {
    const error = await refusal(new Error('createAnthropic is not a function'));
    expect(error.message).toContain('@ai-sdk/anthropic, which could not be loaded (createAnthropic is not');
  });

  test.each([
    ['Chrome', 'Failed to fetch dynamically imported module: https://a.example/openai-1234.js'],
    ['Firefox', 'error loading dynamically imported module: https://a.example/openai-1234.js'],
    ['Safari', 'Importing a module script failed.'],
    ['webpack', 'Loading chunk 123 failed.\n(error: https://a.example/123.js)'],
    ['Turbopack', 'Failed to load chunk /_next/static/chunks/1234.js from module 567'],
  ])('code that cannot be fetched is not a missing package: %s', async (_, message) => {
    const error = await refusal(new TypeError(message));
    expect(error.code).toBe('network');
    expect(error.message).toContain('Reload the page.');
  });
});

describe('the command that installs a package', () => {
  const command = async (): Promise<string | undefined> =>
    (await refusal(notInstalled)).message.split('Install it: ')[1];

  test.each([
    ['pnpm/10.34.9 npm/? node/v24.21.0 linux x64', 'pnpm add @ai-sdk/anthropic'],
    ['yarn/4.9.0 npm/? node/v24.21.0 linux x64', 'yarn add @ai-sdk/anthropic'],
    ['bun/1.4.5 npm/? node/v24.3.0 linux x64', 'bun add @ai-sdk/anthropic'],
    ['deno/2.9.6 npm/? deno/2.9.6 linux x86_64', 'deno add npm:@ai-sdk/anthropic'],
    ['npm/11.0.0 node/v24.21.0 linux x64', 'npm install @ai-sdk/anthropic'],
  ])('is that of the package manager that started the process: %s', async (agent, expected) => {
    vi.stubEnv('npm_config_user_agent', agent);
    expect(await command()).toBe(expected);
  });

  test.each([
    ['pnpm-lock.yaml', 'pnpm add @ai-sdk/anthropic'],
    ['yarn.lock', 'yarn add @ai-sdk/anthropic'],
    ['bun.lock', 'bun add @ai-sdk/anthropic'],
    ['package-lock.json', 'npm install @ai-sdk/anthropic'],
  ])('is otherwise that of the lockfile above the working directory: %s', async (lockfile, expected) => {
    vi.stubEnv('npm_config_user_agent', undefined);
    const root = mkdtempSync(join(tmpdir(), 'cueline-lockfile-'));
    try {
      mkdirSync(join(root, 'apps', 'web'), { recursive: true });
      writeFileSync(join(root, lockfile), '');
      vi.spyOn(process, 'cwd').mockReturnValue(join(root, 'apps', 'web'));
      expect(await command()).toBe(expected);
    } finally {
      vi.restoreAllMocks();
      rmSync(root, { recursive: true });
    }
  });

  test('is that of npm if no parent folder has a lockfile', async () => {
    vi.stubEnv('npm_config_user_agent', undefined);
    vi.spyOn(process, 'cwd').mockReturnValue(resolve('/', 'no-such-folder', 'apps', 'web'));
    expect(await command()).toBe('npm install @ai-sdk/anthropic');
    vi.restoreAllMocks();
  });

  test('is that of npm in a browser, which has no process', async () => {
    vi.stubGlobal('process', undefined);
    const said = await command();
    vi.unstubAllGlobals();
    expect(said).toBe('npm install @ai-sdk/anthropic');
  });
});
