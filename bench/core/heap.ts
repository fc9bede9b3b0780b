import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { paceOf, type Pace } from './step-cost.ts';

/** Kilobytes of memory per step that are still in use after it, between four sampled steps. */
export async function heapOf(
  run: (onCall: () => void) => Promise<unknown>,
  sampled: ReadonlySet<number>,
): Promise<Pace> {
  const samples: number[] = [];
  let step = 0;
  // memory of the run before is released by timers and finalizers, not by the collector alone
  await setTimeout(100);
  collectGarbage();
  await setTimeout(100);
  await run(() => {
    if (!sampled.has(step++)) return;
    collectGarbage();
    samples.push(process.memoryUsage().heapUsed / 1_024);
  });
  return paceOf(samples, 100);
}

function collectGarbage(): void {
  for (let time = 0; time < 2; time++) globalThis.gc?.();
}
