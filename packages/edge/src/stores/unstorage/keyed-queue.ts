/** Runs the work for each key one after the other, because a storage has no transactions. */
export type KeyedQueue = <Value>(key: string, work: () => Promise<Value>) => Promise<Value>;

const queues = new WeakMap<object, KeyedQueue>();

/** Returns the queue that all users of this storage in this process share. */
export function queueOf(storage: object): KeyedQueue {
  const queue = queues.get(storage) ?? createKeyedQueue();
  queues.set(storage, queue);
  return queue;
}

function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
