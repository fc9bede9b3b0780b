// Finds or installs a Postgres server for the tests of the SQL store.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { installInCi } from './debian.mjs';

/** The command that installs one. */
export const howToInstallPostgres =
  'install Postgres ("apt-get install postgresql", "brew install postgresql"), or set CUELINE_POSTGRES to the folder of its programs';

/**
 * The folder of `postgres` and `initdb`: CUELINE_POSTGRES, else that of a `postgres` on the PATH, else Debian's.
 * @returns {string | undefined}
 */
export function findPostgres(env = process.env) {
  const { CUELINE_POSTGRES: chosen, PATH = '' } = env;
  if (chosen) {
    if (isComplete(chosen)) return chosen;
    throw new Error(
      `CUELINE_POSTGRES is "${chosen}", which is not a folder with postgres and initdb. Correct it or unset it.`,
    );
  }
  const onPath = PATH.split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'postgres'))
    .filter((file) => existsSync(file))
    // a link may stand alone
    .map((file) => dirname(realpathSync(file)));
  return [...onPath, ...globSync('/usr/lib/postgresql/*/bin')].find(isComplete);
}

/** Does the same, but in CI installs one from Debian's packages if there is none. */
export function ensurePostgres() {
  return findPostgres() ?? (installInCi('postgresql') ? findPostgres() : undefined);
}

/** @param {string} folder */
function isComplete(folder) {
  return ['postgres', 'initdb'].every(
    (name) => spawnSync(join(folder, name), ['--version'], { timeout: 20_000 }).status === 0,
  );
}
