/** What adds a package, by the name that a package manager gives itself. */
const commands: Readonly<Record<string, string>> = {
  npm: 'npm install ',
  pnpm: 'pnpm add ',
  yarn: 'yarn add ',
  bun: 'bun add ',
  deno: 'deno add npm:',
};

/** The files by which a project's package manager is known. */
const lockfiles: Readonly<Record<string, string>> = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'deno.lock': 'deno',
  'package-lock.json': 'npm',
};

/** The parts of Node's `process` that are used here. A browser has none of them, other runtimes have some. */
type Process = {
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: () => string;
  getBuiltinModule?: (name: string) => unknown;
};

/**
 * The command that installs a package with the user's own package manager: the one that started the process, else the
 * one whose lockfile is in the working directory or above it, else npm.
 */
export function installCommand(name: string): string {
  const { process = {} } = globalThis as { process?: Process };
  const manager = startedBy(process) ?? byLockfile(process) ?? 'npm';
  return `${commands[manager] ?? commands['npm']}${name}`;
}

/** `pnpm/10.34.9 npm/? node/v24.21.0 linux x64` is pnpm. */
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
    // no file system, or one that may not be read
  }
  return undefined;
}
