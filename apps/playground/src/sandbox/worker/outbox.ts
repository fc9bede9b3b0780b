import type { RunEvent } from '@cueline/core';
import { encodeMessage, type ToHost } from '../protocol.ts';

/** The runtime's way out to the page. */
export type Outbox = {
  /** Sends at once, after the events that wait. */
  send(message: ToHost): void;
  /** Adds an event of the run; events travel together. */
  event(event: RunEvent): void;
  /** Sends the events that wait. */
  flush(): void;
  /** The page has read this many messages. */
  read(count: number): void;
};

const batchTime = 8;
const batchLength = 500_000;
// Events of more text than this are told in several messages: one message must not grow with what has piled up.
const longestBatch = 4_000_000;
// When the page is this many messages behind, events wait and travel in fewer, larger messages.
const unreadLimit = 32;

/** Deltas can wait a little for company. Everything else is a turn in the run, and should be seen at once. */
const isDelta = new Set<RunEvent['type']>(['text-delta', 'reasoning-delta', 'tool-input-delta']);

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
      if (!isDelta.has(event.type) || performance.now() - sentAt >= batchTime) return flush();
      timer ??= setTimeout(flush, batchTime);
    },
    read(count) {
      unread -= count;
      if (unread < unreadLimit) flush();
    },
  };
}
