import type { DurableStore } from './store.ts';
import { ANSWER_TIMEOUT_MS, withTimeout } from './with-timeout.ts';

/**
 * Returns a store whose calls reject if it does not answer, so that a start or a command fails, and the driver tries
 * a step again. A late `append` cannot harm that attempt, because the store refuses events of an earlier claim. A
 * late claim takes the run from that attempt, and `onLateClaim` is then called: the run needs another step.
 */
export function boundedStore(store: DurableStore, onLateClaim: (runId: string) => void): DurableStore {
  async function reportLate(runId: string, answer: ReturnType<DurableStore['claim']>): Promise<void> {
    const claimed = await answer;
    if (claimed !== 'ended' && claimed !== undefined) onLateClaim(runId);
  }

  const bounded = async <Value>(answer: Promise<Value>): Promise<Value> =>
    withTimeout(answer, ANSWER_TIMEOUT_MS);
  return {
    create: async (run) => bounded(store.create(run)),
    find: async (which) => bounded(store.find(which)),
    send: async (runId, command) => bounded(store.send(runId, command)),
    unfinished: async () => bounded(store.unfinished()),
    async claim(runId, afterSeq) {
      const answer = store.claim(runId, afterSeq);
      try {
        return await bounded(answer);
      } catch (error) {
        void reportLate(runId, answer).catch(() => {});
        throw error;
      }
    },
    append: async (runId, epoch, events) => bounded(store.append(runId, epoch, events)),
    forget: async (runId, names) => bounded(store.forget(runId, names)),
    read: async (runId, afterSeq) => bounded(store.read(runId, afterSeq)),
    commands: async (runId) => bounded(store.commands(runId)),
  };
}
