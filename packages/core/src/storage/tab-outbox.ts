import type { RunEvent } from '../log/events.ts';
import type { TabChannel } from './tab-channel.ts';

/** What this tab sends to the other tabs of its log. */
export type TabOutbox = {
  /** Adds an event of a log. It is sent soon, together with others. */
  add(log: string, event: RunEvent): void;
  /** Sends what waits, at once. */
  flush(): void;
  /** Answers a tab that has asked for these events, at once. Also sends an answer without events. */
  send(log: string, events: readonly RunEvent[]): void;
};

/** How long events wait so that others are sent together with them, in milliseconds. */
const BATCH_MS = 30;
/** The maximum number of events in one message. */
const MAX_EVENTS = 200;

/** Sends events over `channel` in batches. */
export function createTabOutbox(channel: TabChannel): TabOutbox {
  let log = '';
  let events: RunEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (events.length > 0) channel.post({ type: 'events', log, events, isWhole: true });
    events = [];
  }
  return {
    add(of, event) {
      if (of !== log) flush();
      log = of;
      events.push(event);
      if (events.length >= MAX_EVENTS || event.type === 'run-end') flush();
      else timer ??= setTimeout(flush, BATCH_MS);
    },
    flush,
    send(log, asked) {
      for (let at = 0; at === 0 || at < asked.length; at += MAX_EVENTS) {
        const isWhole = at + MAX_EVENTS >= asked.length;
        channel.post({ type: 'events', log, events: asked.slice(at, at + MAX_EVENTS), isWhole });
      }
    },
  };
}
