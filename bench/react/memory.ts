import type { CDPSession, Page } from 'playwright';
import { printTable } from '../table.ts';
import type { Succession } from './page/many-runs.tsx';

const rows: { name: string; succession: Succession }[] = [
  { name: 'started anew in one component', succession: 'one hook' },
  { name: 'under 100 ids in a registry that keeps 10', succession: 'ids' },
];

/** Measures the memory of a page after 20 and after 100 finished runs of 1,000 deltas each. */
export async function benchMemory(onPage: <T>(use: (page: Page) => Promise<T>) => Promise<T>): Promise<void> {
  const cells: string[][] = [];
  for (const { name, succession } of rows) {
    const [early, late] = await onPage(async (page) => {
      const session = await page.context().newCDPSession(page);
      await page.evaluate((args) => window.runMany(...args), [succession, 1, 20] as const);
      const after20 = await heap(session);
      await page.evaluate((args) => window.runMany(...args), [succession, 21, 100] as const);
      return [after20, await heap(session)] as const;
    });
    const perRun = (late - early) / 80 / 1_000;
    cells.push([
      name,
      megabytes(early),
      megabytes(late),
      `×${(late / early).toFixed(2)}`,
      `${perRun.toFixed(1)} kB`,
    ]);
  }
  printTable('react: memory after runs that have ended, garbage collected', [
    ['', '20 runs', '100 runs', 'ratio', 'more a run'],
    ...cells,
  ]);
}

async function heap(session: CDPSession): Promise<number> {
  // the first collection makes objects collectable that only finalizers hold
  for (let round = 0; round < 3; round++) await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(2)} MB`;
}
