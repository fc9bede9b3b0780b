// Packs each published package as npm would get it, and asks publint and "Are the types wrong?" about the result.
import { packAll, root, run } from './pack.mjs';

for (const { name, tarball } of packAll()) {
  console.log(`\n--- ${name}`);
  run('publint', ['run', tarball, '--strict'], root);
  run('attw', [tarball, '--profile', 'esm-only', '--no-summary'], root);
}
