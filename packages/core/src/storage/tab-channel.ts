import type { RunEvent } from '../log/events.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { EditReply } from '../tasks/task-item.ts';
import { isServerEvent } from '../wire/check-event.ts';

/** The messages between the tabs that show one run. `log` is the id of the run's last start. */
export type TabMessage =
  /** A log has begun in the sending tab. `isStored`: read it from the storage, because it grows on a route. */
  | { type: 'begun'; log: string; isStored?: boolean }
  /** Asks the tab in which the log grows for the events after this one, and for later ones. */
  | { type: 'ask'; log: string; after: number }
  /** Events of a log, in order. `isWhole` is true if nothing is missing after the requested ones. */
  | { type: 'events'; log: string; events: readonly RunEvent[]; isWhole: boolean }
  | { type: 'command'; key: string; command: RunCommand }
  | { type: 'stop'; key: string }
  /** The answer to a command or a stop. */
  | { type: 'reply'; key: string; reply: EditReply };

/** A channel to the other tabs that show a run. */
export type TabChannel = {
  post(message: TabMessage): void;
};

type Listener = { onMessage(message: TabMessage): void };

/** The part of the browser's `BroadcastChannel` that this file uses. */
export type BroadcastChannelLike = {
  postMessage(message: unknown): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
};

/** Closes the channels of runs that were garbage-collected. */
const forgotten = new FinalizationRegistry<BroadcastChannelLike>((channel) => channel.close());

/** Calls `listener` with the messages of the other tabs, as long as something holds the listener. */
export function openTabChannel(channel: BroadcastChannelLike, listener: Listener): TabChannel {
  const held = new WeakRef(listener);
  forgotten.register(listener, channel);
  // in Node, an open channel would keep the process alive
  (channel as { unref?: () => void }).unref?.();
  channel.addEventListener('message', ({ data }) => {
    if (isTabMessage(data)) held.deref()?.onMessage(data);
  });
  return {
    // a channel has no origin to name, because only its own origin can receive it
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    post: (message) => channel.postMessage(message),
  };
}

/** Another version of this page may send other messages. */
function isTabMessage(value: unknown): value is TabMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { type, log, after, key, events, command, reply } = value as Record<string, unknown>;
  switch (type) {
    case 'begun':
      return typeof log === 'string';
    case 'ask':
      return typeof log === 'string' && Number.isSafeInteger(after);
    case 'events':
      return typeof log === 'string' && Array.isArray(events) && events.every(isServerEvent);
    case 'command':
      return typeof key === 'string' && typeof command === 'object' && command !== null;
    case 'stop':
      return typeof key === 'string';
    case 'reply':
      return typeof key === 'string' && typeof (reply as EditReply | undefined)?.accepted === 'boolean';
    default:
      return false;
  }
}
