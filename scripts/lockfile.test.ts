import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const lockfile = readFileSync(new URL('../pnpm-lock.yaml', import.meta.url), 'utf8');

// An install without a network writes a lockfile that has only the binaries of the machine it ran on, or none at all.
test.each(['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-arm64', 'win32-x64-msvc'])(
  'the lockfile has the binaries for %s',
  (platform) => {
    for (const tool of ['@oxfmt/binding', '@oxlint/binding', '@rolldown/binding'])
      expect(lockfile).toContain(`'${tool}-${platform}@`);
  },
);
