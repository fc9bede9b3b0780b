import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDurable, createMemoryStore, type Durable, type DurableStore } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
import { PGlite } from '@electric-sql/pglite';
import { askFirst, readPages } from './prompts.ts';

/** The lengths of the runs that are measured, in tool calls. */
export const LENGTHS = [10, 100] as const;

export const prompts = {
  askFirst,
  ...Object.fromEntries(LENGTHS.map((pages) => [pages, readPages(pages)])),
} as {
  askFirst: typeof askFirst;
} & Record<(typeof LENGTHS)[number], ReturnType<typeof readPages>>;

/** The options of every run: long ones may end. */
export const options = { limits: { steps: 1_000 } };

/** A store and an engine that do the runs of the bench. */
export type Setup = {
  name: string;
  durable: Durable;
  /** So many steps of the engine itself, which do nothing. */
  bare?: { name: string; run(steps: number): Promise<void> };
  close(): Promise<void>;
};

/** A store that is deleted after the bench. */
export type BenchStore = { name: string; store: DurableStore; close(): Promise<void> };

export async function openMemory(): Promise<BenchStore> {
  return { name: 'memory', store: createMemoryStore(), close: async () => {} };
}

export async function openPGlite(): Promise<BenchStore> {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-bench-'));
  const client = new PGlite(folder);
  return {
    name: 'PGlite on disk',
    store: createSqlStore(client),
    async close() {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sets up the driver of this process. */
async function inProcess(open: () => Promise<BenchStore>): Promise<Setup> {
  const { name, store, close } = await open();
  const durable = createDurable({ prompts: Object.values(prompts), store, options });
  const worker = await durable.work();
  return {
    name: `durable, in process, ${name}`,
    durable,
    async close() {
      await worker.stop();
      await close();
    },
  };
}

/** What is measured. Undefined for an engine that is not there; it has said so. */
export const setups: readonly (() => Promise<Setup | undefined>)[] = [
  () => inProcess(openMemory),
  () => inProcess(openPGlite),
];
