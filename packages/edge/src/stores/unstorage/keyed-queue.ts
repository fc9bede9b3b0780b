/** Does one thing after another for each key, because a storage has no transactions. */
export type Turns = <Value>(key: string, work: () => Promise<Value>) => Promise<Value>;

const known = new WeakMap<object, Turns>();

/** The turns of all users of this storage in this process. */
export function turnsOf(storage: object): Turns {
  const turns = known.get(storage) ?? createTurns();
  known.set(storage, turns);
  return turns;
}

function createTurns(): Turns {
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
