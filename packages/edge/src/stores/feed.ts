/** A list that grows, and that any number of readers follow from wherever they like. */
export type Feed<Item> = {
  readonly items: readonly Item[];
  readonly closed: boolean;
  /** Does nothing once it is closed. */
  push(item: Item): void;
  /** Nothing more is to come: readers end after the last item. */
  close(): void;
  /** The items from number `from` on, past and to come. Aborting `signal` ends the iteration at once. */
  read(from: number, signal?: AbortSignal): AsyncIterable<Item>;
};

/** A feed without items. */
export function createFeed<Item>(): Feed<Item> {
  const items: Item[] = [];
  const waiting = new Set<() => void>();
  let closed = false;

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  return {
    items,
    get closed() {
      return closed;
    },
    push(item) {
      if (closed) return;
      items.push(item);
      wake();
    },
    close() {
      closed = true;
      wake();
    },
    read: (from, signal) => ({
      [Symbol.asyncIterator]() {
        let index = from;
        let left = signal?.aborted === true;
        const leave = (): void => {
          left = true;
          signal?.removeEventListener('abort', leave);
          wake();
        };
        signal?.addEventListener('abort', leave, { once: true });
        const finish = (): IteratorResult<Item> => {
          signal?.removeEventListener('abort', leave);
          return { done: true, value: undefined };
        };
        return {
          async next() {
            for (;;) {
              if (left) return finish();
              if (index < items.length) return { done: false, value: items[index++]! };
              if (closed) return finish();
              await new Promise<void>((resolve) => waiting.add(resolve));
            }
          },
          // by hand and not as a generator, because a generator queues this behind a `next` that waits
          return() {
            leave();
            return Promise.resolve(finish());
          },
        };
      },
    }),
  };
}
