// The published packages, as npm would get them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds each package from nothing and packs it. The tarballs go when the process does.
 * @returns {{ name: string, tarball: string }[]}
 */
export function packAll() {
  const packages = readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, 'packages', entry.name));
  // A file that has left src/ must leave the package too.
  for (const folder of packages) rmSync(join(folder, 'dist'), { recursive: true, force: true });
  succeed('pnpm build', pnpm(['-r', '--filter', './packages/*', 'build'], { cwd: root, stdio: 'inherit' }));

  const tarballs = mkdtempSync(join(tmpdir(), 'cueline-pack-'));
  process.on('exit', () => rmSync(tarballs, { recursive: true, force: true }));
  return packages.map((folder) => {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const tarball = join(tarballs, `${name.replace('/', '-')}.tgz`);
    const packed = pnpm(['pack', '--out', tarball], { cwd: folder, stdio: ['inherit', 'ignore', 'inherit'] });
    succeed(`pnpm pack in ${folder}`, packed);
    return { name, tarball };
  });
}

/**
 * Runs a command, and ends the process where it fails.
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
