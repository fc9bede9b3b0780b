/** Consecutive items of a list, as many as are read at once. */
export type Batch<Item> = {
  /** The position of the first of them in the list. */
  first: number;
  items: readonly Item[];
  /** True if the last of them ends the list. */
  ended: boolean;
};

/** A growing list that any number of readers followList from any position. */
export type EventChannel<Item> = {
  /** How many items were pushed. */
  readonly length: number;
  /** How many of them are still kept. */
  readonly kept: number;
  readonly closed: boolean;
  /** Does nothing once it is closed. */
  push(items: readonly Item[]): void;
  /** Drops all but the last `count` items, and returns those: readers continue after them. */
  keepLast(count: number): readonly Item[];
  /** No more items will come: readers end after the last item. */
  close(): void;
  /** The items from number `from` on, past and future. Aborting `signal` ends the iteration at once. */
  read(from: number, signal?: AbortSignal): AsyncIterable<Batch<Item>>;
};

/** How much a reader gets at once: what it has not taken yet is in memory twice. */
const MAX_ITEMS = 500;
const MAX_LENGTH = 64 << 10;

/** An empty channel. `lengthOf` returns the length of an item, in characters. */
export function createEventChannel<Item>(lengthOf: (item: Item) => number = () => 0): EventChannel<Item> {
  const items: Item[] = [];
  /** How many items were dropped before the first kept one. */
  let gone = 0;
  const waiting = new Set<() => void>();
  let closed = false;

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  function batchFrom(first: number): Batch<Item> {
    const from = first - gone;
    let to = from;
    for (let length = 0; to < items.length && to < from + MAX_ITEMS && length < MAX_LENGTH; to += 1) {
      length += lengthOf(items[to]!);
    }
    return { first, items: items.slice(from, to), ended: closed && to === items.length };
  }

  return {
    get length() {
      return gone + items.length;
    },
    get kept() {
      return items.length;
    },
    get closed() {
      return closed;
    },
    push(added) {
      if (closed || added.length === 0) return;
      for (const item of added) items.push(item);
      wake();
    },
    keepLast(count) {
      const surplus = items.length - count;
      if (surplus <= 0) return [];
      gone += surplus;
      return items.splice(0, surplus);
    },
    close() {
      closed = true;
      wake();
    },
    read: (from, signal) => ({
      [Symbol.asyncIterator]() {
        let index = from;
        let stopped = signal?.aborted === true;
        const leave = (): void => {
          stopped = true;
          signal?.removeEventListener('abort', leave);
          wake();
        };
        signal?.addEventListener('abort', leave, { once: true });
        const finish = (): IteratorResult<Batch<Item>> => {
          signal?.removeEventListener('abort', leave);
          return { done: true, value: undefined };
        };
        return {
          async next() {
            for (;;) {
              if (stopped) return finish();
              index = Math.max(index, gone);
              if (index < gone + items.length) {
                const batch = batchFrom(index);
                index += batch.items.length;
                return { done: false, value: batch };
              }
              if (closed) return finish();
              await new Promise<void>((resolve) => waiting.add(resolve));
            }
          },
          // by hand and not as a generator, because a generator queues a return behind a waiting `next`
          return() {
            leave();
            return Promise.resolve(finish());
          },
        };
      },
    }),
  };
}
