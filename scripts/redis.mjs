// Finds or installs a Redis server for the tests of the Redis stores.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { installInCi } from './debian.mjs';

const namesOnPath = ['redis-server', 'valkey-server'];

/** The command that installs one. */
export const howToInstallRedis =
  'install redis-server or valkey-server ("apt-get install redis-server", "brew install redis"), or set CUELINE_REDIS to the path of one';

/**
 * A server that starts: CUELINE_REDIS, else one on the PATH.
 * @returns {string | undefined} the path of the executable
 */
export function findRedis(env = process.env) {
  if (env.CUELINE_REDIS) {
    if (starts(env.CUELINE_REDIS)) return env.CUELINE_REDIS;
    throw new Error(
      `CUELINE_REDIS is "${env.CUELINE_REDIS}", which is not a Redis server that starts. Correct it or unset it.`,
    );
  }
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return namesOnPath.flatMap((name) => folders.map((folder) => join(folder, name))).find(starts);
}

/**
 * Does the same, but in CI installs one from Debian's packages if there is none. Elsewhere nothing is installed: the
 * tests that need it are skipped, and say so.
 * @returns {string | undefined} the path of the executable
 */
export function ensureRedis() {
  return findRedis() ?? (installInCi('redis-server') ? findRedis() : undefined);
}

/** @param {string} file */
function starts(file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return false;
  }
  return spawnSync(file, ['--version'], { timeout: 20_000 }).status === 0;
}
