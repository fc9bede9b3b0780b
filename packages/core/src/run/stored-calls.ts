import type { RunEvent } from '../log/events.ts';

/** One call of a run, or of an agent in it. */
export type BegunCall = { toolCallId: string; agent?: string | undefined };

/** Lets calls wait until the log that says that they have begun is stored. */
export type StoredCalls = {
  /** Resolves once the call's `tool-start` is stored, or the run has ended. Asked for before that event is seen. */
  whenStored(call: BegunCall): Promise<void>;
  /** The next event of the log, once it is given to the storage. */
  see(event: RunEvent): void;
};

/** `flush` resolves once everything that the storage was given is stored, or is waited for no longer. */
export function createStoredCalls(flush: () => Promise<void>): StoredCalls {
  const waiting = new Map<string, () => void>();
  const keyOf = ({ toolCallId, agent = '' }: BegunCall): string => JSON.stringify([agent, toolCallId]);
  return {
    whenStored: (call) => new Promise((resolve) => waiting.set(keyOf(call), resolve)),
    see(event) {
      if (event.type === 'run-end') {
        for (const resolve of waiting.values()) resolve();
        waiting.clear();
      }
      if (event.type !== 'tool-start') return;
      const key = keyOf(event);
      const resolve = waiting.get(key);
      waiting.delete(key);
      if (resolve !== undefined) void flush().then(resolve, resolve);
    },
  };
}
