import { CuelineError } from '@cueline/core';
import type { DurableStore } from './store.ts';
import { ANSWER_TIMEOUT_MS, withTimeout } from './with-timeout.ts';

/**
 * Returns a store whose calls reject if it does not answer, so that a start or a command fails, and the driver tries
 * a step again. A late `append` cannot harm that attempt, because the store refuses events of an earlier claim. A
 * late claim takes the run from that attempt, and `onLateClaim` is then called: the run needs another step. Answers of
 * another form are also rejected: each step would otherwise end as if another worker had the run, or as if it did not
 * exist.
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
      if (answer === 'created' || typeof fieldsOf(answer)['runId'] === 'string') return answer;
      throw wrongAnswerError('create', answer, "'created', or { runId } of the run that has the key");
    },
    async find(which) {
      const answer = await bounded(store.find(which));
      if (answer === undefined || typeof fieldsOf(answer)['runId'] === 'string') return answer;
      throw wrongAnswerError(
        'find',
        answer,
        '{ runId, prompt, owner, length, endSeq } of the run, or undefined if there is none',
      );
    },
    send: async (runId, command) => bounded(store.send(runId, command)),
    async unfinished() {
      const answer = await bounded(store.unfinished());
      if (Array.isArray(answer)) return answer;
      throw wrongAnswerError('unfinished', answer, 'a list of the ids of the runs that have not ended');
    },
    async claim(runId, afterSeq) {
      const answer = store.claim(runId, afterSeq);
      let claimed: Awaited<typeof answer>;
      try {
        claimed = await bounded(answer);
      } catch (error) {
        void reportLate(runId, answer).catch(() => {});
        throw error;
      }
      // a run that the store knows would otherwise wait forever, and so would its readers
      const isRight =
        claimed === undefined ? (await bounded(store.find({ runId }))) === undefined : isClaim(claimed);
      if (isRight) return claimed;
      throw wrongAnswerError(
        'claim',
        claimed,
        `{ epoch, start, events, commands } of the run, 'ended' if it has ended, or undefined if it is not stored`,
      );
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
    async read(runId, afterSeq) {
      const answer = await bounded(store.read(runId, afterSeq));
      if (answer === undefined || Array.isArray(fieldsOf(answer)['events'])) return answer;
      throw wrongAnswerError(
        'read',
        answer,
        '{ events, ended } of the run, or undefined if it is not stored',
      );
    },
    commands: async (runId) => bounded(store.commands(runId)),
  };
}

function isClaim(answer: unknown): boolean {
  const { epoch, start, events, commands } = fieldsOf(answer);
  const isRun = typeof epoch === 'number' && typeof fieldsOf(start)['prompt'] === 'string';
  return answer === 'ended' || (isRun && Array.isArray(events) && Array.isArray(commands));
}

/** Returns the fields of an answer. A store in JavaScript may answer with anything. */
function fieldsOf(answer: unknown): Readonly<Record<string, unknown>> {
  return Object(answer) as Readonly<Record<string, unknown>>;
}

function wrongAnswerError(method: string, answer: unknown, instead: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `${method} of the store returned ${JSON.stringify(answer)}. Return ${instead}.`,
  );
}
