import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { path } from './bundle.ts';

/** What serves the app, and the command that does it with the folder of the bundle. */
export type Runtime = {
  name: string;
  /** What has to be there; undefined for what runs this. */
  binary?: 'workerd' | 'deno' | 'bun';
  /** Where prompt routes are, by name; default: at the root. */
  routes?: [name: string, path: string][];
  command(folder: string): readonly [string, ...string[]];
};

/** A runtime that answers. */
export type Running = AsyncDisposable & {
  url: string;
  port: number;
  /** What it has complained of so far. */
  said(): string;
};

/** How long a runtime may take until it listens, in ms. */
const startMs = 20_000;

const binaryOf = (name: string): string => path(`../../node_modules/.bin/${name}`);

/** The four runtimes. */
export const runtimes = {
  node: {
    name: 'Node',
    command: (folder) => [process.execPath, path('serve/node.ts'), `${folder}/app.js`],
  },
  workerd: {
    name: 'workerd',
    binary: 'workerd',
    routes: [
      ['the prompt route', ''],
      ['the prompt route in a Durable Object', '/object'],
    ],
    command: (folder) => [binaryOf('workerd'), 'serve', `${folder}/workerd.capnp`, '--control-fd=1'],
  },
  deno: {
    name: 'Deno',
    binary: 'deno',
    command: (folder) => [
      binaryOf('deno'),
      'run',
      '--no-config',
      '--no-lock',
      '--allow-net',
      '--allow-env',
      '--allow-read',
      path('serve/deno.ts'),
      `${folder}/app.js`,
    ],
  },
  bun: {
    name: 'Bun',
    binary: 'bun',
    command: (folder) => [binaryOf('bun'), path('serve/bun.ts'), `${folder}/app.js`],
  },
} as const satisfies Record<string, Runtime>;

/** What is missing for a runtime, in one line; undefined where nothing is. */
export function missing({ name, binary }: Runtime): string | undefined {
  if (binary === undefined || existsSync(binaryOf(binary))) return undefined;
  const line = `Not tried on ${name}: there is no packages/edge/node_modules/.bin/${binary}. Install with pnpm install.`;
  // CI has installed all of them, or proves nothing
  if (process.env['CUELINE_CI'] !== undefined) throw new Error(line);
  return line;
}

/** Starts a runtime on a free port, and waits until it listens. */
export async function start(
  runtime: Runtime,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Running> {
  const [command, ...options] = runtime.command(folder);
  const child = spawn(command, options, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // what npm puts into .bin is a script that starts the runtime: a group of its own ends with both
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // it has ended already
    }
  };
  process.once('exit', end);
  let said = '';
  child.stderr.on('data', (text) => (said += String(text)));
  const port = await new Promise<number>((resolve, reject) => {
    let heard = '';
    const fail = (what: string): void => {
      end();
      reject(new Error(`${runtime.name} ${what}. It said:\n${heard}${said}`));
    };
    const timer = setTimeout(() => fail(`did not listen within ${startMs} ms`), startMs);
    child.stdout.on('data', (text) => {
      heard += String(text);
      const [, found] = /"port":\s*(\d+)/.exec(heard) ?? [];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(Number(found));
    });
    child.once('error', ({ message }) => fail(`could not be started: ${message}`));
    child.once('close', (code) => fail(`ended with ${code}`));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    said: () => said,
    async [Symbol.asyncDispose]() {
      process.off('exit', end);
      end();
      await ended;
    },
  };
}
