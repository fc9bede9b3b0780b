import { spawnSync } from 'node:child_process';
import process from 'node:process';

/**
 * Runs pnpm: the one that runs this script, if one does, because it need not be on the PATH.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function pnpm(args, options) {
  const own = process.env.npm_execpath ?? '';
  return /pnpm\.c?js$/.test(own)
    ? spawnSync(process.execPath, [own, ...args], options)
    : spawnSync('pnpm', args, { ...options, shell: process.platform === 'win32' });
}
