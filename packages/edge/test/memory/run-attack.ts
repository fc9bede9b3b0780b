import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Attacked } from './attack-process.ts';

/** Has a process of its own attacked with so many requests, in so many MB of heap. Rejects where it dies of it. */
export async function runAttack(requests: number, heap: number): Promise<Attacked> {
  const child = fork(fileURLToPath(new URL('attack-process.ts', import.meta.url)), [String(requests)], {
    execArgv: ['--conditions=@cueline/source', `--max-old-space-size=${heap}`, '--expose-gc'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let words = '';
  child.stderr?.on('data', (part) => (words += String(part)));
  try {
    return await new Promise<Attacked>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Attacked));
      child.once('exit', (code, signal) => reject(new Error(`It ended with ${code ?? signal}. ${words}`)));
    });
  } finally {
    child.kill('SIGKILL');
  }
}
