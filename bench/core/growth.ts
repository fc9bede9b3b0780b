import { createReducer, type RunEvent } from '@cueline/core';
import { printTable } from '../table.ts';
import { heapOf } from './heap.ts';
import { plainRun, promptRun, STEPS } from './long-runs.ts';
import { medianPace, paceOf, paceRow, type Pace } from './step-cost.ts';
import { taskListLog } from './task-lists.ts';

const ROUNDS = 9;
/** Steps at which a sample begins or ends: the first hundred and the last. */
const sampled: ReadonlySet<number> = new Set([0, 100, STEPS - 100, STEPS]);

/** Measures what each step of a long run adds: memory, text in the log, and time to reduce the log. */
export async function benchGrowth(): Promise<void> {
  const events = await promptRun({ onCall: () => {} });
  let shown: unknown;
  const heaps = {
    streamText: await heapOf((onCall) => plainRun({ onCall }), sampled),
    runPrompt: await heapOf((onCall) => promptRun({ onCall }), sampled),
    'runPrompt, watched': await heapOf(
      (onCall) => promptRun({ onCall, watch: (run) => void run.subscribe((state) => (shown = state)) }),
      sampled,
    ),
  };
  if (shown === undefined) throw new Error('The watched run was never seen.');
  const tasks = await taskListLog();
  printTable(`core: what a step of a run of ${STEPS} steps leaves behind`, [
    ['', 'first 100', 'last 100', 'ratio', ''],
    ...Object.entries(heaps).map(([name, pace]) => paceRow(`KB of memory, ${name}`, pace, 1)),
    paceRow('KB of log', sizeOf(events, 100), 1),
    paceRow('µs to reduce that', reduceTime(events, false), 1),
    paceRow('µs to reduce that, with a state after each step', reduceTime(events, true), 1),
    // each task's window names all tasks, with the results so far
    paceRow('KB of log, for 200 tasks (of the first and last 20)', sizeOf(tasks, 40), 1),
  ]);
}

/** Kilobytes of JSON per step, of the first and the last `of` steps. */
function sizeOf(events: readonly RunEvent[], of: number): Pace {
  let size = 0;
  const sizes: number[] = [];
  for (const event of events) {
    if (event.type === 'step-start') sizes.push(size / 1_024);
    size += JSON.stringify(event).length;
  }
  return paceOf([sizes[0]!, sizes[of]!, sizes.at(-1 - of)!, sizes.at(-1)!], of);
}

/** Microseconds per step, the median of some rounds. */
function reduceTime(events: readonly RunEvent[], snapshots: boolean): Pace {
  const paces: Pace[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc?.();
    const reducer = createReducer();
    const samples: number[] = [];
    let step = 0;
    for (const event of events) {
      if (event.type === 'step-start' && sampled.has(step++)) samples.push(performance.now() * 1_000);
      reducer.apply(event);
      if (snapshots && event.type === 'step-end') reducer.snapshot();
    }
    if (round > 0) paces.push(paceOf(samples, 100));
  }
  return medianPace(paces);
}
