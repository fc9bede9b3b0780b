import { HttpError } from './respond.ts';

/** The memory of one request and of the run that it starts. */
export type MemoryUser = {
  /**
   * Counts more bytes before they are used. Throws an {@link HttpError} if there are not enough: 503; 429 if there
   * would be without its subject's other use; 413 if there never are.
   */
  take(bytes: number): void;
  /** Counts more bytes that are in use already, also if there are not enough. */
  note(bytes: number): void;
  /** Keeps the memory counted until the returned function is called. */
  retain(): () => void;
};

/** The memory of all requests and runs in a process. */
export type MemoryUse = {
  /** Counts until the promise of `work` has settled, and until everything that retains the memory has released it. */
  during<Result>(subject: string, work: (user: MemoryUser) => Promise<Result>): Promise<Result>;
};

/**
 * Counts the memory in this process, up to `maxBytes`. A subject may use as much as it leaves free: half of all if it
 * is alone, a third if another one uses as much. So there is always a share for a new subject. (Dynamic thresholds,
 * as switches share their buffers: Choudhury and Hahne, 1998.)
 */
export function createMemoryUse(maxBytes: number): MemoryUse {
  const bySubject = new Map<string, number>();
  let taken = 0;

  function add(subject: string, bytes: number): void {
    const held = (bySubject.get(subject) ?? 0) + bytes;
    if (held > 0) bySubject.set(subject, held);
    else bySubject.delete(subject);
    taken += bytes;
  }

  function openUser(subject: string): MemoryUser {
    let own = 0;
    let users = 0;

    function note(bytes: number): void {
      // memory that is noted after the end would never be released
      if (users === 0) return;
      add(subject, bytes);
      own += bytes;
    }

    return {
      take(bytes) {
        if ((own + bytes) * 2 > maxBytes) {
          throw new HttpError(
            'too_large',
            'The body has more values than this server has memory for. Send less.',
          );
        }
        const held = bySubject.get(subject) ?? 0;
        const free = maxBytes - taken - bytes;
        if (held + bytes > free) {
          const retry = { retryAfterMs: 1_000 };
          const others = held - own;
          if (others > 0 && own + bytes <= free + others) {
            const message =
              'Your requests and runs take all the memory that you may use. Wait until one of them has ended.';
            throw new HttpError('too_many_at_once', message, retry);
          }
          const message = 'The server has no memory left for this request. Try again in a while.';
          throw new HttpError('unavailable', message, retry);
        }
        note(bytes);
      },
      note,
      retain() {
        users += 1;
        let retained = true;
        return () => {
          if (!retained) return;
          retained = false;
          users -= 1;
          if (users > 0) return;
          add(subject, -own);
          own = 0;
        };
      },
    };
  }

  return {
    async during(subject, work) {
      const user = openUser(subject);
      const release = user.retain();
      try {
        return await work(user);
      } finally {
        release();
      }
    },
  };
}
