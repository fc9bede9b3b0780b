import { withTimeout } from '../../base/with-timeout.ts';

/**
 * Runs the work for each key one after the other, because a storage has no transactions. Work that takes longer than
 * ten seconds no longer holds up the next: a storage that never answers one call must not block all later ones.
 */
export type KeyedQueue = <Value>(key: string, work: () => Promise<Value>) => Promise<Value>;

const queues = new WeakMap<object, KeyedQueue>();

/** Returns the queue that all users of this storage in this process share. */
export function queueOf(storage: object): KeyedQueue {
  const queue = queues.get(storage) ?? createKeyedQueue();
  queues.set(storage, queue);
  return queue;
}

function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const over = overAfter(before, result);
    last.set(key, over);
    try {
      return await result;
    } finally {
      if (last.get(key) === over) last.delete(key);
    }
  };
}

/** Resolves once the work that begins after `before` has ended, or takes too long. */
async function overAfter(before: Promise<void>, result: Promise<unknown>): Promise<void> {
  await before;
  await withTimeout(result).catch(() => {});
}
