import type { RunEvent } from '../log/events.ts';

/** Opens a stream of events, which may take a while. */
export type OpenEvents = () => Promise<AsyncIterator<RunEvent> | Iterator<RunEvent>>;

/**
 * Returns the events that `open` resolves with. Opens them with the first `next`. A caller who returns does not wait.
 */
export function openLazily(open: OpenEvents): AsyncIterable<RunEvent> {
  return { [Symbol.asyncIterator]: () => iterate(open) };
}

function iterate(open: OpenEvents): AsyncIterator<RunEvent> {
  let events: ReturnType<OpenEvents> | undefined;
  let detached = false;
  return {
    async next() {
      if (!detached) events ??= open();
      const iterator = await events;
      return detached || iterator === undefined ? { done: true, value: undefined } : iterator.next();
    },
    // by hand, because a generator queues this behind a pending `next`
    async return() {
      detached = true;
      events?.then((iterator) => iterator.return?.()).catch(() => {});
      return { done: true, value: undefined };
    },
  };
}
