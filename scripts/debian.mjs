// Installs a package of Debian in CI.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

/**
 * Installs a package where that is wanted and possible: in CI, on Debian, as root. Elsewhere nothing is installed:
 * the tests that need it are skipped, and say so.
 * @param {string} name
 * @returns {boolean} whether it was installed
 */
export function installInCi(name) {
  const { CI, CUELINE_CI } = process.env;
  const mayInstall = (CI || CUELINE_CI) && process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!mayInstall) return false;
  console.log(`No ${name} found: trying apt-get install ${name}`);
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', name];
  return [['apt-get', 'update'], install].every(run);
}

/** @param {string[]} command */
function run([program = '', ...args]) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', ...process.env };
  return spawnSync(program, args, { stdio: 'inherit', env, timeout: 300_000 }).status === 0;
}
