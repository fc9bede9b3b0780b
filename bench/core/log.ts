import {
  createReducer,
  createRunLog,
  LOG_VERSION,
  type RunEvent,
  type RunEventBody,
  type RunState,
} from '@cueline/core';
import { median, printTable } from '../table.ts';
import { deltaText } from './delta-model.ts';

const EVENTS = 20_000;
const ROUNDS = 9;

/** Measures the cost of 20,000 events that arrive at once: reduced in one go, and in slices for a subscriber. */
export function benchLog(): void {
  const events = answer(EVENTS);
  const whole: number[] = [];
  const longest: number[] = [];
  const slices: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const reducer = createReducer();
    const from = performance.now();
    for (const event of events) reducer.apply(event);
    check(reducer.snapshot());
    whole.push(performance.now() - from);

    const times = timeSlices(events);
    longest.push(Math.max(...times));
    slices.push(times.length);
  }
  printTable(`core: ${EVENTS} events in one burst, median of ${ROUNDS} rounds`, [
    [
      'reduced in one go',
      `${median(whole).toFixed(1)} ms`,
      `${((median(whole) * 1_000) / EVENTS).toFixed(2)} µs per event`,
    ],
    [
      'sliced for a subscriber',
      `${median(longest).toFixed(1)} ms`,
      `longest of ${median(slices)} slices; budget 50 ms`,
    ],
  ]);
}

/** Returns how long each call of the log's scheduler blocks the thread. */
function timeSlices(events: readonly RunEvent[]): number[] {
  let scheduled: (() => void) | undefined;
  const log = createRunLog({
    schedule: (callback) => {
      scheduled = callback;
      return () => (scheduled = undefined);
    },
  });
  let last: RunState | undefined;
  log.subscribe((state) => (last = state));
  for (const event of events) log.push(event);
  const times: number[] = [];
  while (scheduled !== undefined) {
    const slice: () => void = scheduled;
    scheduled = undefined;
    const from = performance.now();
    slice();
    times.push(performance.now() - from);
  }
  check(last);
  return times;
}

function check(state: RunState | undefined): void {
  if (state?.text.length === (EVENTS - 5) * deltaText.length && state.status === 'done') return;
  throw new Error(
    `The log was reduced to ${state?.text.length ?? 0} characters and status ${state?.status}.`,
  );
}

function answer(count: number): RunEvent[] {
  const id = 'text';
  const bodies: RunEventBody[] = [
    {
      type: 'run-start',
      v: LOG_VERSION,
      runId: 'bench',
      model: 'bench:log',
      messages: [],
      messageId: 'answer',
    },
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    { type: 'text-start', id },
    ...Array.from({ length: count - 5 }, (): RunEventBody => ({ type: 'text-delta', id, text: deltaText })),
    { type: 'text-end', id },
    { type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ];
  return bodies.map((body, seq) => ({ seq, t: seq, ...body }));
}
