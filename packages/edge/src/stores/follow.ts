/** What is there of a list from where its reader has got to, and how to go on from there. */
export type ListSlice<Item> = {
  items: readonly Item[];
  /** Nothing more is to come. */
  over: boolean;
  /** There is more already. */
  more: boolean;
};

export type Following<Item> = {
  /** The next items, from where the last ones ended. */
  next(): Promise<ListSlice<Item>>;
  /** Resolves when it is worth another look. Need not end with the reading. */
  pause(): Promise<void>;
  /** Lets go of what it waits with. */
  leave?(): void;
};

/**
 * A list that grows somewhere else, as an iteration that begins with its reader and ends at once with `signal`, or when
 * the reader leaves, whatever it waits for at that moment.
 */
export function follow<Item>(begin: () => Following<Item>, signal: AbortSignal): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const left = new AbortController();
      const leave = (): void => left.abort();
      const items = read(begin, left.signal);
      left.signal.addEventListener('abort', () => signal.removeEventListener('abort', leave));
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      return {
        async next() {
          const result = await items.next();
          if (result.done === true) leave();
          return result;
        },
        // a generator hears of it only after what it waits for, and nobody waits for that
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
  begin: () => Following<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  if (signal.aborted) return;
  const following = begin();
  let leave = (): void => {};
  signal.addEventListener('abort', () => {
    following.leave?.();
    leave();
  });
  // no race with a promise of the abort: that would keep every piece until the reader leaves
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
