import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Attacked } from './attack-process.ts';

/** Has a process of its own attacked with so many requests, in so many MB of heap. Rejects where it dies of it. */
export function runAttack(requests: number, heap: number): Promise<Attacked> {
  return runProcess<Attacked>('attack-process.ts', [String(requests)], heap);
}

/** Returns what a process with so many MB of heap tells its parent. Rejects where it dies before. */
export async function runProcess<Told>(file: string, args: readonly string[], heap: number): Promise<Told> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--conditions=@cueline/source', `--max-old-space-size=${heap}`, '--expose-gc'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let words = '';
  child.stderr?.on('data', (part) => (words += String(part)));
  try {
    return await new Promise<Told>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Told));
      child.once('exit', (code, signal) => reject(new Error(`It ended with ${code ?? signal}. ${words}`)));
    });
  } finally {
    child.kill('SIGKILL');
  }
}
