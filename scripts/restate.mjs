// Finds or fetches a Restate server for the tests of its driver. It is some 200 MB, and its license (BSL) is not one
// that we ship under, so no package depends on it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const version = '1.7.12';
const folder = fileURLToPath(new URL('../node_modules/.cache/restate-server', import.meta.url));
const fetched = join(
  folder,
  'node_modules',
  '@restatedev',
  `restate-server-${process.platform}-${process.arch}`,
  'bin',
  'restate-server',
);

/** What to do where none can be fetched. */
export const howToGetRestate =
  'run "pnpm test:unit:long --project durable", which fetches one, or set CUELINE_RESTATE to the path of a restate-server';

/**
 * A server that starts: CUELINE_RESTATE, else one that an earlier test has fetched.
 * @returns {string | undefined} the path of the executable
 */
export function findRestate(env = process.env) {
  const path = env.CUELINE_RESTATE || fetched;
  if (starts(path)) return path;
  if (!env.CUELINE_RESTATE) return undefined;
  throw new Error(
    `CUELINE_RESTATE is "${path}", which is not a Restate server that starts. Correct it or unset it.`,
  );
}

/**
 * Does the same, but fetches one from npm if there is none.
 * @returns {string | undefined} the path of the executable
 */
export function ensureRestate() {
  const found = findRestate();
  if (found) return found;
  console.log(`No Restate server found: fetching @restatedev/restate-server ${version}`);
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'];
  const shell = process.platform === 'win32';
  spawnSync('npm', [...install, `@restatedev/restate-server@${version}`], { timeout: 300_000, shell });
  return findRestate();
}

/** Does the same in CI. Elsewhere only the long tests fetch one. */
export function ensureRestateInCi() {
  if (process.env.CI || process.env.CUELINE_CI) ensureRestate();
}

/** @param {string} file */
function starts(file) {
  return existsSync(file) && spawnSync(file, ['--version'], { timeout: 20_000 }).status === 0;
}
