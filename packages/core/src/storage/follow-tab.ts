import type { RunEvent } from '../log/events.ts';

/** A log that grows in another tab and is followed here. */
export type FollowedTab = {
  /** The id of the run's last start. */
  readonly log: string;
  /** True once the log has ended or is no longer followed. */
  readonly isOver: boolean;
  /** Adds events that have arrived. Skips known events, and asks again for events before a gap. */
  push(events: readonly RunEvent[]): void;
  /** Ends the log as stopped, if nothing more will come. */
  finish(): void;
  /** The events after the known ones. */
  readonly events: AsyncIterable<RunEvent>;
};

/**
 * Follows a log after the event `after`. Calls `onGap` with the last event before a gap, and `onOver` once nothing
 * more is awaited.
 */
export function followTab(
  log: string,
  after: number,
  { onGap, onOver }: { onGap: (after: number) => void; onOver: () => void },
): FollowedTab {
  let next = after + 1;
  let lastTime = 0;
  let delivered: RunEvent[] = [];
  let isOver = false;
  let wake = (): void => {};

  function close(): void {
    if (isOver) return;
    isOver = true;
    onOver();
    wake();
  }

  async function read(): Promise<IteratorResult<RunEvent>> {
    for (;;) {
      const event = delivered.shift();
      if (event !== undefined) return { done: false, value: event };
      if (isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    log,
    get isOver() {
      return isOver;
    },
    push(events) {
      for (const event of events) {
        if (isOver || event.seq < next) continue;
        if (event.seq > next) return onGap(next - 1);
        next += 1;
        lastTime = event.t;
        delivered.push(event);
        if (event.type === 'run-end') close();
      }
      wake();
    },
    finish() {
      if (!isOver) delivered.push({ seq: next, t: lastTime, type: 'run-end', outcome: 'stopped' });
      close();
    },
    events: {
      [Symbol.asyncIterator]: () => ({
        next: read,
        // by hand, because a generator queues this behind a pending `next`
        return() {
          delivered = [];
          close();
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    },
  };
}
