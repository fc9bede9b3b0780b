import { Refusal } from '../../http/respond.ts';

/** What one request, and the run that it starts, take of the memory. */
export type MemoryUser = {
  /**
   * Counts so many bytes more, before they are taken. Throws a {@link Refusal} where there are not so many: 503; 429 where
   * there would be but for what its subject has taken; or 413, where there never are.
   */
  take(bytes: number): void;
  /** Counts so many bytes more that are taken already, whether there are so many or not. */
  note(bytes: number): void;
  /** Somebody else needs it, too: until what is given back is called. */
  retain(): () => void;
};

/** What requests and their runs take of a process's memory together. */
export type MemoryUse = {
  /** Counted until the promise that `work` gives has settled, and until all who retain it have let go. */
  during<Result>(subject: string, work: (user: MemoryUser) => Promise<Result>): Promise<Result>;
};

/**
 * Counts what is taken in this process, up to `maxBytes`. A subject may take as much as it leaves free: half of all where it
 * is the only one, a third where another has as much. So however much some take, there is a share for one who comes now.
 * (Dynamic thresholds, as switches share their buffers: Choudhury and Hahne, 1998.)
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
      // whoever notes something after the end has nobody who would let go of it
      if (users === 0) return;
      add(subject, bytes);
      own += bytes;
    }

    return {
      take(bytes) {
        if ((own + bytes) * 2 > maxBytes) {
          throw new Refusal('too_large', 'The body has more values than this server has memory for.');
        }
        const held = bySubject.get(subject) ?? 0;
        const free = maxBytes - taken - bytes;
        if (held + bytes > free) {
          const retry = { retryAfterMs: 1_000 };
          const others = held - own;
          if (others > 0 && own + bytes <= free + others) {
            const message =
              'What you have under way takes as much memory as there is for you. Wait until some of it has ended.';
            throw new Refusal('too_many_at_once', message, retry);
          }
          const message = 'So much is under way that there is no memory for this. Try again in a while.';
          throw new Refusal('unavailable', message, retry);
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
