import { createRun, reduceAll, type PromptDefinition, type RunState } from '@cueline/core';
import { createDurable, type Durable, type DurableDriver, type DurableStore } from '@cueline/durable';
import { expect, onTestFinished, vi } from 'vitest';

export type DriverOptions = {
  graceMs?: number;
  concurrency?: number;
  onError?(error: unknown): void;
};

export type OpenWorker = (argument: string) => Promise<{ driver: DurableDriver; store: DurableStore }>;

export type WorkerModule = {
  /** Exports `openWorker`. */
  module: URL;
  argument: string;
  /** Whether several workers can share the runs. If not, each worker takes over all runs when it starts. */
  many: boolean;
};

export type DriverSetup = {
  /** Returns a driver of the same engine each time. */
  createDriver(options?: DriverOptions): DurableDriver;
  createStore(): Promise<DurableStore>;
  workers?: WorkerModule;
  /** Kills a server and starts it again, by its name in titles. Its data stays on the disk. */
  outages?: Readonly<Record<string, { kill(): Promise<void>; start(): Promise<void> }>>;
};

export type Reader = {
  readonly runId: string;
  readonly durable: Durable;
  readonly run: ReturnType<typeof createRun<void>>;
  readonly result: Promise<unknown>;
};

/** Has the runs of `createStore` ended when a test is finished: workers of later tests would continue them. */
export function endingRuns(setup: DriverSetup): DriverSetup {
  return {
    ...setup,
    async createStore() {
      const store = await setup.createStore();
      onTestFinished(() => endRuns(store));
      return store;
    },
  };
}

async function endRuns(store: DurableStore): Promise<void> {
  for (const runId of await store.unfinished()) {
    const claimed = await store.claim(runId, -1);
    if (typeof claimed !== 'object') continue;
    const end = { seq: claimed.events.length, t: 0, type: 'run-end', outcome: 'done' } as const;
    await store.append(runId, claimed.epoch, [end]);
  }
}

/** Starts and follows a run in this process, which has no worker. */
export async function startReader(setup: DriverSetup, prompt: PromptDefinition<void>): Promise<Reader> {
  const store = await setup.createStore();
  const durable = createDurable({ prompts: [prompt], store, driver: setup.createDriver() });
  const known = new Set(await store.unfinished());
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start();
  result.catch(() => {});
  onTestFinished(() => run.stop());
  const runId = await vi.waitUntil(async () => (await store.unfinished()).find((id) => !known.has(id)));
  return { runId, durable, run, result };
}

/** Checks that a reader, which followed the run from its start, has seen exactly what is stored. */
export async function checkLog(setup: DriverSetup, reader: Reader): Promise<RunState> {
  const seen = reader.run.log();
  const store = await setup.createStore();
  const { events = [], ended } = (await store.read(reader.runId, -1)) ?? {};
  expect(ended).toBe(true);
  expect(seen).toEqual(events);
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_event, index) => index));
  expect(seen.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  expect(seen.at(-1)?.type).toBe('run-end');
  expect(reader.run.getState()).toEqual(reduceAll(events));
  return reader.run.getState();
}
