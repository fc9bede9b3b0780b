import type { RunEvent } from '@cueline/core';
import { createStoredLog, type StoredLog } from '@cueline/core/durable';
import type { ClaimedRun, DurableStore } from './store.ts';

/** How many logs a worker keeps, and their largest total size in characters of JSON. */
const MAX_LOGS = 256;
const MAX_SIZE = 32_000_000;

/** A run that a worker has taken over, with its whole log. */
export type ClaimedLog = Omit<ClaimedRun, 'events'> & { log: StoredLog };

/**
 * Keeps the logs of the runs that this worker advanced last, so that a step reads only what was stored since the step
 * before. Stored events never change, so a kept log can only be too short. If the store has lost events, the whole
 * log is read again.
 */
export type LogCache = {
  /** Whether the cache has the log of a run. */
  has(runId: string): boolean;
  /** Takes a run over in the store, and returns it with its whole log. */
  claim(runId: string): Promise<ClaimedLog | 'ended' | undefined>;
  /** Keeps the log of a run that continues. */
  keep(runId: string, log: StoredLog): void;
};

export function createLogCache(
  store: Pick<DurableStore, 'claim' | 'read'>,
  { maxLogs = MAX_LOGS, maxSize = MAX_SIZE }: { maxLogs?: number; maxSize?: number } = {},
): LogCache {
  /** In the order of their last use. */
  const logs = new Map<string, StoredLog>();
  let size = 0;

  /** Removes the log of a run from the cache and returns it: only one step at a time may use it. */
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
      // reads the last known event again, to see whether the store has lost events
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

/**
 * Whether two events are the same. Their times, in hundredths of a millisecond, distinguish events with the same
 * number.
 */
function isSame(one: RunEvent | undefined, other: RunEvent | undefined): boolean {
  return one?.seq === other?.seq && one?.t === other?.t && one?.type === other?.type;
}
