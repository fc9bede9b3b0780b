import { Refusal } from '../respond.ts';

/** What one request, and the run that it starts, take of the memory. */
export type MemoryUser = {
  /** Counts so many bytes more, before they are taken. Throws a {@link Refusal} where there are not so many: 503, or 413. */
  take(bytes: number): void;
  /** Somebody else needs it, too: until what is given back is called. */
  retain(): () => void;
};

/** What requests and their runs take of a process's memory together. */
export type MemoryUse = {
  /** Counted until the promise that `work` gives has settled, and until all who retain it have let go. */
  during<Result>(work: (user: MemoryUser) => Promise<Result>): Promise<Result>;
};

/** Counts what is taken in this process, up to `maxBytes`. */
export function createMemoryUse(maxBytes: number): MemoryUse {
  let taken = 0;

  function openUser(): MemoryUser {
    let own = 0;
    let users = 0;
    return {
      take(bytes) {
        if (own + bytes > maxBytes) {
          throw new Refusal('too_large', 'The body has more values than this server has memory for.');
        }
        if (taken + bytes > maxBytes) {
          const message = 'So much is under way that there is no memory for this. Try again in a while.';
          throw new Refusal('unavailable', message, { retryAfterMs: 1_000 });
        }
        taken += bytes;
        own += bytes;
      },
      retain() {
        users += 1;
        let retained = true;
        return () => {
          if (!retained) return;
          retained = false;
          users -= 1;
          if (users > 0) return;
          taken -= own;
          own = 0;
        };
      },
    };
  }

  return {
    async during(work) {
      const user = openUser();
      const release = user.retain();
      try {
        return await work(user);
      } finally {
        release();
      }
    },
  };
}
