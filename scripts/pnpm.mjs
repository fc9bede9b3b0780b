import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';

const own = process.env.npm_execpath ?? '';

/**
 * Runs pnpm: the one that runs this script, if one does, because it need not be on the PATH.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function pnpm(args, options) {
  return spawnSync(...command(args), { ...options, ...shell });
}

/**
 * Starts pnpm, as `pnpm` does.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function startPnpm(args, options) {
  return spawn(...command(args), { ...options, ...shell });
}

const runsOwn = /pnpm\.c?js$/.test(own);
const shell = { shell: !runsOwn && process.platform === 'win32' };

/**
 * @param {string[]} args
 * @returns {[program: string, args: string[]]}
 */
function command(args) {
  return runsOwn ? [process.execPath, [own, ...args]] : ['pnpm', args];
}
