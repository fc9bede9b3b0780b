import { HttpError } from './respond.ts';

/** Reads a body while it counts as an open body of its subject. */
export type OpenBodies = <Value>(subject: string, read: () => Promise<Value>) => Promise<Value>;

/**
 * Counts the bodies that are being read. A client that begins requests and never ends them uses memory and a
 * connection for each, so more than `most` at once of a subject are an {@link HttpError} with 429. The duration of a
 * body has its own limit.
 */
export function createOpenBodies(most: number): OpenBodies {
  const open = new Map<string, number>();
  return async (subject, read) => {
    const count = open.get(subject) ?? 0;
    if (count >= most) {
      throw new HttpError(
        'too_many_at_once',
        `${most} of your requests are still incomplete. Finish one of them.`,
        {
          retryAfterMs: 1_000,
        },
      );
    }
    open.set(subject, count + 1);
    try {
      return await read();
    } finally {
      const remaining = (open.get(subject) ?? 1) - 1;
      if (remaining > 0) open.set(subject, remaining);
      else open.delete(subject);
    }
  };
}
