import { createSemaphore, type Semaphore } from '@cueline/core/server';

/** Does work under a name once fewer than the most pieces of work are in progress under it. */
export type CallSlots = <Value>(name: string, work: () => Promise<Value>) => Promise<Value>;

/** Creates slots for `most` pieces of work at once under each name. Further ones wait for their turn. */
export function createCallSlots(most: number): CallSlots {
  const slots = new Map<string, { semaphore: Semaphore; users: number }>();
  return async (name, work) => {
    const own = slots.get(name) ?? { semaphore: createSemaphore(most), users: 0 };
    slots.set(name, own);
    own.users += 1;
    const release = await own.semaphore.acquire(undefined);
    try {
      return await work();
    } finally {
      release();
      own.users -= 1;
      if (own.users === 0) slots.delete(name);
    }
  };
}
