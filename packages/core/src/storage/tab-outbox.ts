import type { RunEvent } from '../log/events.ts';
import type { TabChannel } from './tab-channel.ts';

/** The events of this tab that wait to be sent to the other tabs. */
export type TabOutbox = {
  /** Adds an event of a log. It is sent soon, together with others. */
  add(log: string, event: RunEvent): void;
  /** Sends what waits, at once. */
  flush(): void;
};

/** How long events wait so that others are sent together with them, in milliseconds. */
const BATCH_MS = 30;
/** The maximum number of events in one message. */
export const MAX_EVENTS = 200;

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
  };
}
