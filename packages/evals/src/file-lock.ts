import { mkdirSync, rmSync, statSync } from 'node:fs';

/** A lock this old is of a process that has ended: reading and writing a file takes far less. */
const STALE_MS = 10_000;

/**
 * Calls a function while no other process or thread does so for the same file. The lock is a folder beside the file.
 */
export function withFileLock(file: string, act: () => void): void {
  const lock = `${file}.lock`;
  while (!takeLock(lock)) {
    if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > STALE_MS) {
      rmSync(lock, { recursive: true, force: true });
    } else {
      // a synchronous wait: the evals of this file have ended
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
  try {
    act();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Takes the lock if it is free; making a folder is atomic on every file system. */
function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
