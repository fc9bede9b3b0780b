import type { RunEvent } from '../log/events.ts';

/** Events from somewhere that takes a while to open. */
export type OpenEvents = () => Promise<AsyncIterator<RunEvent> | Iterator<RunEvent>>;

/** The events that `open` leads to, opened with the first look. Whoever returns is let go at once. */
export function openLazily(open: OpenEvents): AsyncIterable<RunEvent> {
  return { [Symbol.asyncIterator]: () => iterate(open) };
}

function iterate(open: OpenEvents): AsyncIterator<RunEvent> {
  let events: ReturnType<OpenEvents> | undefined;
  let detached = false;
  return {
    async next() {
      if (!detached) events ??= open();
      const given = await events;
      return detached || given === undefined ? { done: true, value: undefined } : given.next();
    },
    // by hand and not as a generator, because a generator queues this behind a `next` that waits
    return() {
      detached = true;
      events?.then((given) => given.return?.()).catch(() => {});
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
