// Packs each published package as npm would get it, and asks publint and "Are the types wrong?" about the result.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = readdirSync(join(root, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => join(root, 'packages', entry.name));

// A file that has left src/ must leave the package too.
for (const folder of packages) rmSync(join(folder, 'dist'), { recursive: true, force: true });
run('pnpm', ['-r', '--filter', './packages/*', 'build'], root);

const tarballs = mkdtempSync(join(tmpdir(), 'cueline-pack-'));
process.on('exit', () => rmSync(tarballs, { recursive: true, force: true }));

for (const folder of packages) {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  console.log(`\n--- ${name}`);
  const tarball = join(tarballs, `${name.replace('/', '-')}.tgz`);
  run('pnpm', ['pack', '--out', tarball], folder);
  run('publint', ['run', tarball, '--strict'], root);
  run('attw', [tarball, '--profile', 'esm-only', '--no-summary'], root);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  const shell = process.platform === 'win32';
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit', shell });
  if (status === 0) return;
  console.error(`"${program} ${args.join(' ')}" failed: ${error ? error.message : `exit code ${status}`}`);
  process.exit(1);
}
