import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DurableStart, ReadEvents } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
import { PGlite } from '@electric-sql/pglite';
import { after } from './prompts.ts';

/** A folder with a store, on which processes work one after the other, until they are killed. */
export type Folder = {
  /** Uses the folder's store while no process works. */
  inStore<Value>(use: (store: ReturnType<typeof createSqlStore>) => Promise<Value>): Promise<Value>;
  /** Starts a process, and kills it as soon as `until` is true of the effects so far. */
  workUntil(until: (effects: readonly string[]) => boolean): Promise<void>;
  /** Returns the effects of all processes. */
  effects(): string[];
  remove(): void;
};

/**
 * Creates a folder. Its processes write books of `pages` pages, or pay as many invoices; each tool takes `ms`
 * milliseconds.
 */
export function createFolder(pages: number, ms: number): Folder {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-durable-'));
  const file = join(folder, 'effects.txt');
  const effects = (): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return {
    async inStore(use) {
      const client = new PGlite(join(folder, 'store'));
      try {
        return await use(createSqlStore(client));
      } finally {
        await client.close();
      }
    },
    async workUntil(until) {
      const child = fork(
        fileURLToPath(new URL('process.ts', import.meta.url)),
        [folder, String(pages), String(ms)],
        { execArgv: ['--conditions=@cueline/source'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
      );
      try {
        while (!until(effects()) && isAlive(child)) await after(2);
        if (!isAlive(child)) throw new Error(`The process ended by itself: ${child.exitCode}.`);
      } finally {
        child.kill('SIGKILL');
        if (isAlive(child)) await new Promise((resolve) => child.once('exit', resolve));
      }
    },
    effects,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts a run in a folder. */
export async function startIn(folder: Folder, runId: string, start: DurableStart): Promise<void> {
  await folder.inStore((store) => store.create({ runId, start }));
}

export async function readIn(folder: Folder, runId: string): Promise<ReadEvents> {
  const read = await folder.inStore((store) => store.read(runId, -1));
  if (read === undefined) throw new Error(`There is no run ${runId}.`);
  return read;
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
