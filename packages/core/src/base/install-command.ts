/** The install command of each package manager. */
const commands: Readonly<Record<string, string>> = {
  npm: 'npm install ',
  pnpm: 'pnpm add ',
  yarn: 'yarn add ',
  bun: 'bun add ',
  deno: 'deno add npm:',
};

/** The package manager of each lockfile. */
const lockfiles: Readonly<Record<string, string>> = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'deno.lock': 'deno',
  'package-lock.json': 'npm',
};

/** The parts of Node's `process` that this file uses. A browser has none of them, and other runtimes have some. */
type Process = {
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: () => string;
  getBuiltinModule?: (name: string) => unknown;
};

/**
 * Returns the command that installs a package with the user's own package manager: the one that started the process,
 * otherwise the one of the nearest lockfile, otherwise npm.
 */
export function installCommand(name: string): string {
  const { process = {} } = globalThis as { process?: Process };
  const manager = startedBy(process) ?? byLockfile(process) ?? 'npm';
  return `${commands[manager] ?? commands['npm']}${name}`;
}

/** Reads `pnpm/10.34.9 npm/? node/v24.21.0 linux x64` as pnpm. */
function startedBy({ env }: Process): string | undefined {
  const name = env?.['npm_config_user_agent']?.split('/')[0];
  return name !== undefined && Object.hasOwn(commands, name) ? name : undefined;
}

function byLockfile({ cwd, getBuiltinModule }: Process): string | undefined {
  if (cwd === undefined || getBuiltinModule === undefined) return undefined;
  try {
    const { existsSync } = getBuiltinModule('node:fs') as { existsSync: (path: string) => boolean };
    for (const folders = cwd().split(/[\\/]/); folders.length > 0; folders.pop()) {
      const found = Object.keys(lockfiles).find((file) => existsSync([...folders, file].join('/')));
      if (found !== undefined) return lockfiles[found];
    }
  } catch {
    // there is no file system, or it must not be read
  }
  return undefined;
}
