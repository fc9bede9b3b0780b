import type { Browser, Page } from 'playwright';

type TraceEvent = { name: string; pid: number; tid: number; ts: number; tdur?: number };

/** A moment of a page, from which on its tasks count: its first paint, or the last press of a pointer. */
export type Since = 'firstContentfulPaint' | 'pressed';

const categories = ['toplevel', 'loading', 'blink.user_timing'];

/** Begins to note the tasks of a page. Returns a function that ends it. */
export async function traceTasks(browser: Browser, page: Page): Promise<(since: Since) => Promise<number>> {
  await browser.startTracing(page, { categories });
  return async (since) => longestTask(await browser.stopTracing(), since);
}

/**
 * How long the page's thread ran for its longest task, in milliseconds, without the time that it waited for other
 * programs.
 */
function longestTask(trace: Buffer, since: Since): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const begin = traceEvents.findLast(({ name }) => name === since);
  if (begin === undefined) throw new Error(`The trace has no ${since}.`);
  const times = traceEvents.flatMap(({ name, pid, tid, ts, tdur = 0 }) =>
    name.endsWith('RunTask') && pid === begin.pid && tid === begin.tid && ts >= begin.ts ? [tdur] : [],
  );
  return Math.max(0, ...times) / 1_000;
}
