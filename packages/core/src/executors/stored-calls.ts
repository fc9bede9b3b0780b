import type { RunEvent } from '../log/events.ts';
import type { StartedCall } from '../tool-calls/run-context.ts';

/** Lets calls wait until the log with their `tool-start` is stored. */
export type StoredCalls = {
  /** Resolves once the call's `tool-start` is stored, the run has ended, or a second has passed. Never rejects. */
  whenStored(call: StartedCall): Promise<void>;
  /** Called with the next event of the log, once the storage has it. */
  see(event: RunEvent): void;
};

/**
 * How long a call waits, in milliseconds. The storage may not answer, and a transform of the caller may hold the
 * event back until the call has a result.
 */
const MAX_WAIT_MS = 1_000;

/** `flush` resolves once the storage has stored everything, or cannot store anything at the moment. */
export function createStoredCalls(flush: () => Promise<void>): StoredCalls {
  const waiting = new Map<string, () => void>();
  const keyOf = ({ toolCallId, agent = '' }: StartedCall): string => JSON.stringify([agent, toolCallId]);
  return {
    whenStored: (call) =>
      new Promise((resolve) => {
        const key = keyOf(call);
        const timer = setTimeout(done, MAX_WAIT_MS);
        function done(): void {
          clearTimeout(timer);
          if (waiting.get(key) === done) waiting.delete(key);
          resolve();
        }
        waiting.set(key, done);
      }),
    see(event) {
      if (event.type === 'run-end') for (const release of waiting.values()) release();
      if (event.type !== 'tool-start') return;
      const release = waiting.get(keyOf(event));
      if (release !== undefined) void flush().then(release, release);
    },
  };
}
