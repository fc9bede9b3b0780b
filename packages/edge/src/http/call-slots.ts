import { createSemaphore, type Semaphore } from '@cueline/core/server';
import { HttpError } from './respond.ts';

/**
 * Does work under a name once fewer than the most pieces of work are in progress under it. Throws an {@link
 * HttpError} with 499 if `signal` aborts before.
 */
export type CallSlots = <Value>(
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
) => Promise<Value>;

/** Creates slots for `most` pieces of work at once under each name. Further ones wait for their turn. */
export function createCallSlots(most: number): CallSlots {
  const slots = new Map<string, { semaphore: Semaphore; users: number }>();
  return async (name, signal, work) => {
    const own = slots.get(name) ?? { semaphore: createSemaphore(most), users: 0 };
    slots.set(name, own);
    own.users += 1;
    try {
      const release = await own.semaphore.acquire(signal).catch(() => {
        throw new HttpError('client_closed', 'The caller went away.');
      });
      try {
        return await work();
      } finally {
        release();
      }
    } finally {
      own.users -= 1;
      if (own.users === 0) slots.delete(name);
    }
  };
}
