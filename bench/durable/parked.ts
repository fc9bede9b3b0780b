import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { createDurable, inProcessDriver, type DurableDriver } from '@cueline/durable';
import { median, printTable } from '../table.ts';
import { openMemory, openPGlite, prompts, type BenchStore } from './setups.ts';

const PARKED = 1_000;
const CONCURRENCY = 4;
/** Runs whose pace is measured, and in how many rounds. */
const RUNS = 40;
const ROUNDS = 5;

/** Measures what runs that wait for an approval occupy in a worker: time, memory, timers and sockets. */
export async function benchParked(): Promise<void> {
  const rows: string[][] = [];
  for (const open of [openMemory, openPGlite]) {
    const opened = await open();
    try {
      rows.push(await rowOf(opened));
    } finally {
      await opened.close();
    }
  }
  printTable(
    `durable: ${RUNS} runs in a worker with ${CONCURRENCY} places, in which ${PARKED} others wait for an approval, median of ${ROUNDS} rounds`,
    [
      ['', 'ms per run, none waits', `${PARKED} wait`, 'ratio', 'heap of each', 'timers and sockets of all'],
      ...rows,
    ],
  );
}

async function rowOf({ name, store }: BenchStore): Promise<string[]> {
  const { driver, count } = counting(inProcessDriver({ concurrency: CONCURRENCY }));
  const durable = createDurable({ prompts: Object.values(prompts), store, driver });
  const worker = await durable.work();
  let created = 0;

  /** Works off so many new runs, and returns how long it took for each. */
  async function work(prompt: string, runs: number, status: 'done' | 'waiting'): Promise<number> {
    const until = count[status] + runs;
    const began = performance.now();
    for (let run = 0; run < runs; run += 1) {
      const runId = `run-${(created += 1)}`;
      await store.create({ runId, start: { prompt } });
      await driver.wake(runId);
    }
    while (count[status] < until) await setTimeout(1);
    return (performance.now() - began) / runs;
  }

  async function pace(): Promise<number> {
    const times: number[] = [];
    for (let round = -1; round < ROUNDS; round += 1) {
      const time = await work(prompts[10].name, RUNS, 'done');
      if (round >= 0) times.push(time);
    }
    return median(times);
  }

  try {
    const alone = await pace();
    const before = await usage();
    await work(prompts.askFirst.name, PARKED, 'waiting');
    const after = await usage();
    const beside = await pace();
    return [
      name,
      alone.toFixed(2),
      beside.toFixed(2),
      `×${(beside / alone).toFixed(2)}`,
      `${((after.heap - before.heap) / PARKED / 1_024).toFixed(1)} kB`,
      String(after.open - before.open),
    ];
  } finally {
    await worker.stop();
  }
}

/** Counts how jobs come out. */
function counting(inner: DurableDriver): {
  driver: DurableDriver;
  count: Record<'next' | 'waiting' | 'done', number>;
} {
  const count = { next: 0, waiting: 0, done: 0 };
  const driver: DurableDriver = {
    wake: (runId) => inner.wake(runId),
    work: (advance) =>
      inner.work(async (runId, signal) => {
        const advanced = await advance(runId, signal);
        count[advanced.status] += 1;
        return advanced;
      }),
  };
  return { driver, count };
}

/** The memory of this process after a garbage collection, and its timers and sockets. */
async function usage(): Promise<{ heap: number; open: number }> {
  // finalizers, which run after the collector, also free memory
  for (let time = 0; time < 4; time += 1) {
    globalThis.gc?.();
    await setTimeout(50);
  }
  return { heap: process.memoryUsage().heapUsed, open: process.getActiveResourcesInfo().length };
}
