import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const project: string = fileURLToPath(new URL('project', import.meta.url));

/** What a command printed, and its exit code. */
export type CommandResult = { code: number | null; output: string };

export type RunningCommand = {
  readonly process: ChildProcess;
  readonly ended: Promise<CommandResult>;
  /** Resolves once the output since the last call contains the text. */
  prints(text: string): Promise<void>;
};

/** Starts `cueline` in a folder, by default in that of the evals for these tests. */
export function startCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = project,
): RunningCommand {
  const command = fileURLToPath(new URL('project/command.mjs', import.meta.url));
  // the variables with which Vitest tells its own workers that they are in a test
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|NODE_ENV|CI$|FORCE_COLOR)/.test(name)),
  );
  const child = spawn(process.execPath, ['--conditions=@cueline/source', command, ...args], {
    cwd,
    env: { ...inherited, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let read = 0;
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
      for (const listener of listeners) listener();
    });
  }
  return {
    process: child,
    ended: new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, output }));
    }),
    prints: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = output.indexOf(text, read);
          if (at === -1) return;
          read = at + text.length;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        child.on('close', () =>
          reject(new Error(`The command ended and did not print "${text}":\n${output}`)),
        );
        look();
      }),
  };
}

/** Runs `cueline` until it ends. */
export function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = project,
): Promise<CommandResult> {
  return startCommand(args, env, cwd).ended;
}
