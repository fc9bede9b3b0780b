// A folder outside the workspace, in which apps use the packed packages as npm would give them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { root } from './pack.mjs';

/** What an app is started with: nothing of this workspace's, neither its packages nor what pnpm says of itself. */
export const environment = outsideEnvironment();

/**
 * Copies the apps, and installs what they name: our packages from the tarballs, the rest from the registry.
 * @param {string[]} apps folders of e2e/outside
 * @param {{ name: string, tarball: string }[]} packages
 * @returns {string} the folder, which goes when the process does
 */
export function installOutside(apps, packages) {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-outside-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const app of apps) cpSync(join(root, 'e2e', 'outside', app), join(folder, app), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "outside", "private": true }\n');
  const overrides = packages.map(({ name, tarball }) => `  '${name}': 'file:${tarball}'\n`);
  writeFileSync(
    join(folder, 'pnpm-workspace.yaml'),
    `packages: ['*']\nstrictPeerDependencies: true\nignoredBuiltDependencies: [esbuild, sharp, unrs-resolver, workerd]\noverrides:\n${overrides.join('')}`,
  );
  pnpm(['install', '--no-frozen-lockfile', '--prefer-offline', '--reporter=append-only'], folder);
  return folder;
}

/**
 * Runs a program in an app's folder. Throws where it fails, with all that it said.
 * @param {string} cwd
 * @param {string} file a JavaScript file, from the app's folder
 * @param {string[]} [args]
 * @returns {string} what it said
 */
export function runNode(cwd, file, args = []) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [file, ...args], {
    cwd,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (status === 0) return stdout + stderr;
  const why = error?.message ?? `exit code ${status}`;
  throw new Error(`node ${[file, ...args].join(' ')} failed (${why}):\n${stdout}${stderr}`);
}

/**
 * @param {string[]} args
 * @param {string} cwd
 */
function pnpm(args, cwd) {
  const own = process.env.npm_execpath ?? '';
  const options = { cwd, env: environment, stdio: /** @type {const} */ ('inherit') };
  const { status } = /pnpm\.c?js$/.test(own)
    ? spawnSync(process.execPath, [own, ...args], options)
    : spawnSync('pnpm', args, { ...options, shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')} failed in ${cwd}.`);
}

/** @returns {NodeJS.ProcessEnv} */
function outsideEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => name === 'npm_config_registry' || !/^(npm_|pnpm_|NODE_PATH$|NODE_OPTIONS$)/.test(name),
  );
  // this very Node, and not the script in node_modules/.bin that finds the workspace's packages wherever it is called
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    ...Object.fromEntries(kept),
    PATH: path,
    NEXT_TELEMETRY_DISABLED: '1',
    WRANGLER_SEND_METRICS: 'false',
  };
}
