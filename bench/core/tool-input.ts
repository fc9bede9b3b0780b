import process from 'node:process';
import { createReducer, LOG_VERSION, type RunEventBody } from '@cueline/core';
import { median, printTable } from '../table.ts';

const LENGTH = 640_000;
const DELTA = 20;
/** Deltas between two reads: what a fast model writes in a sixtieth of a second. */
const DELTAS_PER_LOOK = 60;
const ROUNDS = 9;
/** Inputs per measurement: a single one takes less than the resolution of the thread's clock. */
const PARSES = 20;

/** Long arguments of about this many characters. */
const shapes = {
  'one text': (length: number) => ({
    path: 'src/main.ts',
    content: 'const line = "of code";\n'.repeat(Math.round(length / 28)),
  }),
  rows: (length: number) => ({
    rows: Array.from({ length: Math.round(length / 64) }, (_, id) => ({
      id,
      name: `Row ${id}`,
      tags: ['a', 'b'],
      done: false,
    })),
  }),
  'one list of numbers': (length: number) => ({
    numbers: Array.from({ length: Math.round(length / 6) }, (_, index) => 10_000 + (index % 10_000)),
  }),
};

/** Measures the cost of reading a long tool argument as an object while it arrives. */
export function benchToolInput(): void {
  printTable(
    `core: a tool argument of ${LENGTH / 1_000} KB in ${DELTA}-byte deltas, partialInput read every ${DELTAS_PER_LOOK}, median of ${ROUNDS} rounds`,
    [
      ['', 'ms', 'ratio to half of it', 'ratio to JSON.parse of it, once', 'budget'],
      ...Object.entries(shapes).map(([name, shape]) => {
        const half = JSON.stringify(shape(LENGTH / 2));
        const whole = JSON.stringify(shape(LENGTH));
        const time = timeOf(() => arrive(whole));
        return [
          name,
          time.toFixed(0),
          // ×2 is linear. A read copies the open list; with 100,000 items, that is most of the time
          `×${(time / timeOf(() => arrive(half))).toFixed(1)}`,
          `×${((time * PARSES) / timeOf(() => parse(whole))).toFixed(0)}`,
          '≤ 1000 ms',
        ];
      }),
    ],
  );
}

/** Milliseconds of this thread. */
function timeOf(work: () => unknown): number {
  const times: number[] = [];
  // the first rounds warm up
  for (let round = -2; round < ROUNDS; round++) {
    globalThis.gc?.();
    const from = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(from);
    if (round >= 0) times.push((user + system) / 1_000);
  }
  return median(times);
}

function parse(text: string): void {
  for (let time = 0; time < PARSES; time++) JSON.parse(text);
}

function arrive(text: string): void {
  const call = { toolCallId: 'call', toolName: 'write' };
  const reducer = createReducer();
  let seq = 0;
  const say = (body: RunEventBody): void => reducer.apply({ seq: seq++, t: 0, ...body });
  say({
    type: 'run-start',
    v: LOG_VERSION,
    runId: 'bench',
    model: 'bench:log',
    messages: [],
    messageId: 'a',
  });
  say({ type: 'step-start', step: 0, request: { keep: 0, messages: [] } });
  say({ type: 'tool-input-start', ...call });
  let partial: unknown;
  for (let at = 0, count = 1; at < text.length; at += DELTA, count++) {
    say({ type: 'tool-input-delta', toolCallId: 'call', delta: text.slice(at, at + DELTA) });
    if (count % DELTAS_PER_LOOK === 0) partial = reducer.snapshot().toolCalls[0]?.partialInput;
  }
  if (partial === undefined) throw new Error('The arguments were not seen while they arrived.');
  ({ partialInput: partial } = reducer.snapshot().toolCalls[0]!);
  if (JSON.stringify(partial) !== text) throw new Error('The arguments did not arrive as they were sent.');
}
