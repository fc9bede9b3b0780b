// The published packages, as npm would get them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

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
  run('pnpm', ['-r', '--filter', './packages/*', 'build'], root);

  const tarballs = mkdtempSync(join(tmpdir(), 'cueline-pack-'));
  process.on('exit', () => rmSync(tarballs, { recursive: true, force: true }));
  return packages.map((folder) => {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const tarball = join(tarballs, `${name.replace('/', '-')}.tgz`);
    run('pnpm', ['pack', '--out', tarball], folder, 'ignore');
    return { name, tarball };
  });
}

/**
 * Runs a command, and ends the process where it fails.
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @param {'inherit' | 'ignore'} [stdout]
 */
export function run(program, args, cwd, stdout = 'inherit') {
  const shell = process.platform === 'win32';
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['inherit', stdout, 'inherit'], shell });
  if (status === 0) return;
  console.error(`"${program} ${args.join(' ')}" failed: ${error ? error.message : `exit code ${status}`}`);
  process.exit(1);
}
