/** The items of a list from a reader's position on, and how to continue from there. */
export type ListSlice<Item> = {
  items: readonly Item[];
  /** No more items will come. */
  over: boolean;
  /** There are more items already. */
  more: boolean;
};

export type FollowedList<Item> = {
  /** The next items, after the last ones. */
  next(): Promise<ListSlice<Item>>;
  /** Resolves when another look makes sense. It need not end when the reader leaves. */
  pause(): Promise<void>;
  /** Releases what `pause` waits with. */
  leave?(): void;
};

/**
 * An iteration over a list that grows elsewhere. It begins with its reader and ends at once with `signal`, or
 * when the reader leaves, whatever it waits for at that moment.
 */
export function followList<Item>(begin: () => FollowedList<Item>, signal: AbortSignal): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const stopped = new AbortController();
      const leave = (): void => stopped.abort();
      const items = read(begin, stopped.signal);
      stopped.signal.addEventListener('abort', () => signal.removeEventListener('abort', leave));
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      return {
        async next() {
          const result = await items.next();
          if (result.done === true) leave();
          return result;
        },
        // a generator would notice it only after its current wait, which no caller awaits any more
        return() {
          leave();
          items.return().catch(() => {});
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

async function* read<Item>(
  begin: () => FollowedList<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  if (signal.aborted) return;
  const following = begin();
  let leave = (): void => {};
  signal.addEventListener('abort', () => {
    following.leave?.();
    leave();
  });
  // no race with a promise of the abort: that would keep every item until the reader leaves
  const untilLeft = <Value>(work: Promise<Value>): Promise<Value | undefined> =>
    new Promise((resolve, reject) => {
      leave = () => resolve(undefined);
      if (signal.aborted) leave();
      work.then(resolve, reject);
    });
  try {
    for (;;) {
      const piece = await untilLeft(following.next());
      if (piece === undefined) return;
      for (const item of piece.items) {
        yield item;
        if (signal.aborted) return;
      }
      if (piece.over) return;
      if (!piece.more) await untilLeft(following.pause());
      if (signal.aborted) return;
    }
  } finally {
    following.leave?.();
  }
}
