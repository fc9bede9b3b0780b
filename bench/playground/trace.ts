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

/**
 * Begins to note the frames of a page. Returns a function that ends it: milliseconds that the page's thread ran for
 * each frame, since the frame before it.
 */
export async function traceFrames(browser: Browser, page: Page): Promise<() => Promise<readonly number[]>> {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  return async () => framesOf(await browser.stopTracing());
}

function framesOf(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  // a frame ends with the task that hands it to the compositor
  const commits = traceEvents.filter(({ name }) => name === 'Commit');
  const { pid, tid } = mostFrequent(commits);
  const isHere = (event: TraceEvent): boolean => event.pid === pid && event.tid === tid;
  const ends = commits
    .filter(isHere)
    .map(({ ts }) => ts)
    .toSorted((one, other) => one - other);
  const tasks = traceEvents
    .filter((event) => event.name === 'ThreadControllerImpl::RunTask' && isHere(event))
    .toSorted((one, other) => one.ts - other.ts);
  const frames = ends.map(() => 0);
  let frame = 0;
  for (const { ts, tdur = 0 } of tasks) {
    while (frame < ends.length && ts > ends[frame]!) frame += 1;
    if (frame < ends.length) frames[frame]! += tdur / 1_000;
  }
  // the first one has begun before
  return frames.slice(1);
}

/** The thread that most of the events are of. */
function mostFrequent(events: readonly TraceEvent[]): Pick<TraceEvent, 'pid' | 'tid'> {
  const counts = new Map<string, { pid: number; tid: number; count: number }>();
  for (const { pid, tid } of events) {
    const { count } = counts.get(`${pid} ${tid}`) ?? { count: 0 };
    counts.set(`${pid} ${tid}`, { pid, tid, count: count + 1 });
  }
  const [most] = [...counts.values()].toSorted((one, other) => other.count - one.count);
  if (most === undefined) throw new Error('The trace has no frame.');
  return most;
}
