import type { RunEvent } from '@cueline/core';
import type { EventBatch } from './run-log-store.ts';

/** Events as they are on the wire: Server-Sent Events, whose `id` is the event's number. */
export function toFrames({ first, items }: EventBatch): string {
  let frames = '';
  for (const [index, event] of items.entries()) frames += `id: ${first + index}\ndata: ${event}\n\n`;
  return frames;
}

/** Each item of some batches, converted by `read`. */
export function eachOf<Item, Value>(
  batches: AsyncIterable<{ items: readonly Item[] }>,
  read: (item: Item) => Value,
): AsyncIterable<Value> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]();
      let items: readonly Item[] = [];
      let index = 0;
      return {
        async next() {
          while (index === items.length) {
            const { done, value } = await iterator.next();
            if (done === true) return { done, value: undefined };
            ({ items } = value);
            index = 0;
          }
          return { done: false, value: read(items[index++]!) };
        },
        // by hand and not as a generator, because a generator queues a return behind a waiting `next`
        return: async () => {
          items = [];
          index = 0;
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** The events of some batches, as objects. `before` is called with the JSON of each. */
export function eventsOf(
  batches: AsyncIterable<EventBatch>,
  before?: (event: string) => void,
): AsyncIterable<RunEvent> {
  return eachOf(batches, (event) => {
    before?.(event);
    return JSON.parse(event) as RunEvent;
  });
}
