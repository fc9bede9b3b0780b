/** A queue that can be read while it is filled. */
export type EventQueue<Item> = AsyncIterable<Item> & { push(item: Item): void; close(): void };

/** Returns each item once, in order. `onAbandon` is called when the reader leaves before the end. */
export function createEventQueue<Item>(onAbandon: () => void): EventQueue<Item> {
  const items: Item[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  return {
    push(item) {
      items.push(item);
      wake?.();
    },
    close() {
      closed = true;
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      let read = 0;
      try {
        for (;;) {
          while (read < items.length) yield items[read++] as Item;
          if (closed) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        if (!closed) onAbandon();
      }
    },
  };
}
