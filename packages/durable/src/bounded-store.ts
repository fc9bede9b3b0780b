import { CuelineError } from '@cueline/core';
import type { DurableStore } from './store.ts';
import { ANSWER_TIMEOUT_MS, withTimeout } from './with-timeout.ts';

/**
 * Returns a store whose calls reject if it does not answer, so that a start or a command fails, and the driver tries
 * a step again. A late `append` cannot harm that attempt, because the store refuses events of an earlier claim. A
 * late claim takes the run from that attempt, and `onLateClaim` is then called: the run needs another step. `create` and
 * `append` also reject an answer of another form: without one, each step would end as if another worker had the run.
 */
export function boundedStore(store: DurableStore, onLateClaim: (runId: string) => void): DurableStore {
  async function reportLate(runId: string, answer: ReturnType<DurableStore['claim']>): Promise<void> {
    const claimed = await answer;
    if (claimed !== 'ended' && claimed !== undefined) onLateClaim(runId);
  }

  const bounded = async <Value>(answer: Promise<Value>): Promise<Value> =>
    withTimeout(answer, ANSWER_TIMEOUT_MS);
  return {
    async create(run) {
      const answer = await bounded(store.create(run));
      const isKnown = typeof (Object(answer) as { runId?: unknown }).runId === 'string';
      if (answer === 'created' || isKnown) return answer;
      throw wrongAnswerError('create', answer, "'created', or { runId } of the run that has the key");
    },
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
    async append(runId, epoch, events) {
      const answer = await bounded(store.append(runId, epoch, events));
      if (typeof answer === 'boolean') return answer;
      throw wrongAnswerError(
        'append',
        answer,
        'true if the events are stored, and false if they are refused',
      );
    },
    forget: async (runId, names) => bounded(store.forget(runId, names)),
    read: async (runId, afterSeq) => bounded(store.read(runId, afterSeq)),
    commands: async (runId) => bounded(store.commands(runId)),
  };
}

function wrongAnswerError(method: string, answer: unknown, instead: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `${method} of the store returned ${JSON.stringify(answer)}. Return ${instead}.`,
  );
}
