import type { RunEvent } from '@cueline/core';
import { encodeMessage, type ToHost } from '../protocol.ts';

/** Sends the runtime's messages to the page. */
export type Outbox = {
  /** Sends a message at once, after the queued events. */
  send(message: ToHost): void;
  /** Queues an event of the run; events are sent in groups. */
  event(event: RunEvent): void;
  /** Sends the queued events. */
  flush(): void;
  /** The page has read this many messages. */
  read(count: number): void;
};

const batchTime = 8;
const batchLength = 500_000;
// Longer events are split into several messages, so that no message grows with the queue.
const longestBatch = 4_000_000;
// When the page is this many messages behind, events wait and are sent in fewer, larger messages.
const unreadLimit = 32;

/** Deltas can wait a little for more. */
const deltas = new Set<RunEvent['type']>(['text-delta', 'reasoning-delta', 'tool-input-delta']);
/** These say nothing without the event after them, so they are sent with it. */
const openings = new Set<RunEvent['type']>([
  'variable-set',
  'text-start',
  'reasoning-start',
  'tool-input-start',
]);

/** Gathers events for about 8 ms, so that a fast model does not cost the page a message per word. */
export function createOutbox(post: (text: string) => void): Outbox {
  let waiting: RunEvent[] = [];
  let length = 0;
  let unread = 0;
  let sentAt = -batchTime;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const emit = (message: ToHost): void => {
    unread += 1;
    post(encodeMessage(message));
  };
  const emitEvents = (events: RunEvent[]): void => {
    const text = encodeMessage({ type: 'events', events });
    if (text.length > longestBatch && events.length > 1) {
      const middle = events.length >> 1;
      emitEvents(events.slice(0, middle));
      emitEvents(events.slice(middle));
      return;
    }
    unread += 1;
    post(text);
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    length = 0;
    sentAt = performance.now();
    emitEvents(events);
  };
  return {
    flush,
    send(message) {
      flush();
      emit(message);
    },
    event(event) {
      waiting.push(event);
      length += 'text' in event ? event.text.length : 64;
      if (event.type === 'run-end' || length > batchLength) return flush();
      if (unread >= unreadLimit) return;
      const waits =
        openings.has(event.type) || (deltas.has(event.type) && performance.now() - sentAt < batchTime);
      if (!waits) return flush();
      timer ??= setTimeout(flush, batchTime);
    },
    read(count) {
      unread -= count;
      if (unread < unreadLimit) flush();
    },
  };
}
