import { definePrompt, type RunEvent, type RunRequest } from '@cueline/core';
import type { Replay, ReplayOptions } from '@cueline/core/replay';
import { inLog, runStart } from '../log/any-events.ts';

export const hello = definePrompt('hello', (prompt) => prompt.$`Hi.`);
export const request: RunRequest = { definition: hello as never, input: undefined };

/** Five events, at 0, 10, 20, 30 and 40 ms. */
export const five = inLog([
  runStart,
  { type: 'warning', message: 'a' },
  { type: 'warning', message: 'b' },
  { type: 'warning', message: 'c' },
  { type: 'run-end', outcome: 'done' },
]);

/** A clock that only moves when it is told to, and then calls the timers that are due. */
export function manualClock() {
  let time = 1_000;
  const timers = new Map<symbol, { at: number; callback: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    settle,
    timers,
    options: {
      now: () => time,
      wait(callback, ms) {
        const id = Symbol('timer');
        timers.set(id, { at: time + ms, callback });
        return () => timers.delete(id);
      },
    } satisfies ReplayOptions,
    async forward(ms: number) {
      const until = time + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].toSorted(([, a], [, b]) => a.at - b.at);
        if (next === undefined || next[1].at > until) break;
        timers.delete(next[0]);
        time = Math.max(time, next[1].at);
        next[1].callback();
        await settle();
      }
      time = until;
    },
  };
}

/** Collects what a start of the replayed gives, each with the `seq` alone. */
export function collect(replayed: Replay, signal = new AbortController().signal) {
  const seen: RunEvent[] = [];
  const iterator = replayed.start(request, signal)[Symbol.asyncIterator]();
  const ended = (async () => {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return;
      seen.push(next.value);
    }
  })();
  return { seen, ended, iterator, seqs: () => seen.map(({ seq }) => seq) };
}
