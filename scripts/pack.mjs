// Packs the published packages, as npm would get them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds each package from scratch and packs it. The tarballs are deleted when the process ends; with
 * `CUELINE_TARBALLS`, they stay in that folder, and a later call takes them from there.
 * @returns {{ name: string, tarball: string }[]}
 */
export function packAll() {
  const packages = readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, 'packages', entry.name));
  const shared = process.env['CUELINE_TARBALLS'];
  if (shared !== undefined && existsSync(join(shared, 'all')))
    return packages.map((folder) => tarballOf(folder, shared));
  // A file that was deleted from src/ must not stay in the package.
  for (const folder of packages) rmSync(join(folder, 'dist'), { recursive: true, force: true });
  succeed('pnpm build', pnpm(['-r', '--filter', './packages/*', 'build'], { cwd: root, stdio: 'inherit' }));

  const tarballs = shared ?? mkdtempSync(join(tmpdir(), 'cueline-pack-'));
  if (shared === undefined) process.on('exit', () => rmSync(tarballs, { recursive: true, force: true }));
  const packed = packages.map((folder) => {
    const found = tarballOf(folder, tarballs);
    const args = ['pack', '--out', found.tarball];
    succeed(`pnpm pack in ${folder}`, pnpm(args, { cwd: folder, stdio: ['inherit', 'ignore', 'inherit'] }));
    return found;
  });
  if (shared !== undefined) writeFileSync(join(shared, 'all'), '');
  return packed;
}

/**
 * @param {string} folder
 * @param {string} tarballs
 */
function tarballOf(folder, tarballs) {
  /** @type {{ name: string }} */
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, tarball: join(tarballs, `${name.replace('/', '-')}.tgz`) };
}

/**
 * Runs a command, and ends the process if it fails.
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
export function run(program, args, cwd) {
  const shell = process.platform === 'win32';
  succeed([program, ...args].join(' '), spawnSync(program, args, { cwd, stdio: 'inherit', shell }));
}

/**
 * @param {string} what
 * @param {{ status: number | null, error?: Error | undefined }} result
 */
function succeed(what, { status, error }) {
  if (status === 0) return;
  console.error(`"${what}" failed: ${error ? error.message : `exit code ${status}`}`);
  process.exit(1);
}
