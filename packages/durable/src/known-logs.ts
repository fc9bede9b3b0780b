import type { RunEvent } from '@cueline/core';
import { createStoredLog, type StoredLog } from '@cueline/core/durable';
import type { ClaimedRun, DurableStore } from './store.ts';

/** How many logs a worker keeps, and how many characters of JSON they may have together. */
const MAX_LOGS = 256;
const MAX_SIZE = 32_000_000;

/** A run that a worker has taken over, with its whole log. */
export type ClaimedLog = Omit<ClaimedRun, 'events'> & { log: StoredLog };

/**
 * The logs of the runs that this worker has advanced last, so that a step reads only what others have stored since the step
 * before. What a store has accepted never changes, so a log that is kept can only be too short. A store that was set back is read anew.
 */
export type KnownLogs = {
  /** True for a run whose log is kept. */
  has(runId: string): boolean;
  /** Takes a run over, as the store does. */
  claim(runId: string): Promise<ClaimedLog | 'ended' | undefined>;
  /** Keeps the log of a run that continues. */
  keep(runId: string, log: StoredLog): void;
};

export function createKnownLogs(
  store: DurableStore,
  { maxLogs = MAX_LOGS, maxSize = MAX_SIZE }: { maxLogs?: number; maxSize?: number } = {},
): KnownLogs {
  /** The one that was used last is the last one. */
  const logs = new Map<string, StoredLog>();
  let size = 0;

  /** Returns the log of a run, which only one step at a time uses. */
  function take(runId: string): StoredLog | undefined {
    const log = logs.get(runId);
    if (log !== undefined) size -= log.size;
    logs.delete(runId);
    return log;
  }

  return {
    has: (runId) => logs.has(runId),
    async claim(runId) {
      const known = take(runId);
      // with the last known event, which shows that the store has not lost any
      const claimed = await store.claim(runId, known === undefined ? -1 : known.events.length - 2);
      if (claimed === undefined || claimed === 'ended') return claimed;
      const { events, ...rest } = claimed;
      if (known === undefined) return { ...rest, log: createStoredLog(runId, events) };
      if (isSame(events[0], known.events.at(-1))) {
        known.add(events.slice(1));
        return { ...rest, log: known };
      }
      const whole = await store.read(runId, -1);
      return { ...rest, log: createStoredLog(runId, whole?.events) };
    },
    keep(runId, log) {
      take(runId);
      if (log.events.length === 0 || log.size > maxSize) return;
      logs.set(runId, log);
      size += log.size;
      for (const oldest of logs.keys()) {
        if (logs.size <= maxLogs && size <= maxSize) return;
        take(oldest);
      }
    },
  };
}

/** True for the same event. Its time, of a hundredth of a millisecond, tells it from another one in its place. */
function isSame(one: RunEvent | undefined, other: RunEvent | undefined): boolean {
  return one?.seq === other?.seq && one?.t === other?.t && one?.type === other?.type;
}
