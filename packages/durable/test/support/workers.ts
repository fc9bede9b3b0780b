import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerModule } from './driver-setup.ts';

/** A process with a worker. */
export type WorkerProcess = {
  isAlive(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
};

/** The worker processes of one test. */
export type Workers = {
  /** Starts a process whose tools take `ms` milliseconds. */
  spawn(ms?: number): WorkerProcess;
  /** Starts a process, and resolves when its worker is up. */
  start(options?: { ms?: number }): Promise<WorkerProcess>;
  /** Lets the first process that comes to a place kill itself. */
  killAt(place: string): void;
  /** Returns the effects of all processes. */
  effects(): string[];
  /** Kills all processes, and deletes their effects. */
  end(): Promise<void>;
};

export function createWorkers({ module, argument }: WorkerModule): Workers {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-workers-'));
  const file = join(folder, 'effects.txt');
  const processes: WorkerProcess[] = [];
  const effects = (): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const ups = (): number => effects().filter((each) => each === 'worker up').length;
  function spawn(ms = 20): WorkerProcess {
    const child = fork(
      fileURLToPath(new URL('worker-process.ts', import.meta.url)),
      [module.href, argument, folder, String(ms)],
      { execArgv: ['--conditions=@cueline/source'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    );
    const worker: WorkerProcess = {
      isAlive: () => child.exitCode === null && child.signalCode === null,
      kill: (signal) => void child.kill(signal),
      ended: once(child, 'exit'),
    };
    processes.push(worker);
    return worker;
  }

  return {
    spawn,
    async start({ ms } = {}) {
      const before = ups();
      const worker = spawn(ms);
      // the process may be killed before it notes that it is up
      while (ups() === before && worker.isAlive()) await new Promise((resolve) => setTimeout(resolve, 10));
      return worker;
    },
    killAt: (place) => writeFileSync(join(folder, 'kill-at.txt'), place),
    effects,
    async end() {
      for (const worker of processes) worker.kill('SIGKILL');
      await Promise.all(processes.map(({ ended }) => ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
