// A folder outside the workspace, in which apps use the packed packages as npm would give them.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { root } from './pack.mjs';
import { pnpm } from './pnpm.mjs';

/** The environment of an app: nothing of this workspace, neither its packages nor pnpm's variables. */
export const environment = outsideEnvironment();

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();

/**
 * Copies the apps, and installs what they name: our packages from the tarballs, the rest from the registry.
 * @param {string[]} apps folders of e2e/outside
 * @param {{ name: string, tarball: string }[]} packages
 * @returns {string} the folder, which is deleted when the process ends
 */
export function installOutside(apps, packages) {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-outside-'));
  process.on('exit', () => {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const app of apps) cpSync(join(root, 'e2e', 'outside', app), join(folder, app), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "outside", "private": true }\n');
  const overrides = packages.map(({ name, tarball }) => `  '${name}': 'file:${tarball}'\n`);
  writeFileSync(
    join(folder, 'pnpm-workspace.yaml'),
    `packages: ['*']
strictPeerDependencies: true
onlyBuiltDependencies: [bun, deno, node]
ignoredBuiltDependencies: [esbuild, sharp, unrs-resolver, workerd]
overrides:
${overrides.join('')}`,
  );
  const args = ['install', '--no-frozen-lockfile', '--prefer-offline', '--reporter=append-only'];
  const { status } = pnpm(args, { cwd: folder, env: environment, stdio: 'inherit' });
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')} failed in ${folder}.`);
  return folder;
}

/**
 * Runs a JavaScript file with this Node. Rejects if it fails, with its whole output.
 * @param {string} cwd the app's folder
 * @param {string} file from there
 * @param {string[]} [args]
 * @returns {Promise<string>} what it said
 */
export function runNode(cwd, file, args = []) {
  return runProgram(cwd, process.execPath, [file, ...args]);
}

/**
 * Runs a program, as `runNode` does.
 * @param {string} cwd
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<string>}
 */
export function runProgram(cwd, program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (said += text));
    }
    const fail = (/** @type {string} */ why) =>
      reject(new Error(`${[program, ...args].join(' ')} failed in ${cwd} (${why}):\n${said}`));
    child.on('error', ({ message }) => fail(message));
    child.on('close', (status, signal) => {
      children.delete(child);
      if (status === 0) resolve(said);
      else fail(signal ?? `exit code ${status}`);
    });
  });
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
