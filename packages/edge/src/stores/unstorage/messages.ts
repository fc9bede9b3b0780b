import { utf8Length } from '../../base/utf8-length.ts';
import { KEPT_MESSAGE_BYTES, KEPT_MESSAGES, type RunMessage } from '../run-log-store.ts';
import type { ItemAccess } from './item-access.ts';
import type { KeyedQueue } from './keyed-queue.ts';

/** The messages about runs. */
export type Messages = {
  send(run: string, message: RunMessage): Promise<void>;
  /** Returns the messages since its last call. */
  listen(run: string): () => Promise<RunMessage[]>;
};

type SentMessage = { at: number; message: RunMessage };
/** The messages of one sender, except for the first `dropped`. */
type MessageList = { dropped: number; messages: SentMessage[] };

const emptyList: MessageList = { dropped: 0, messages: [] };

/** How long to wait before checking whether another sender has overwritten a list, in milliseconds. */
const SETTLE_MS = 50;

let latest = 0;

/**
 * Each sender has its own list for each run, so that senders do not overwrite each other's messages. A further list
 * names the senders; each adds itself until it finds itself in it.
 */
export function createMessages(items: ItemAccess, queue: KeyedQueue): Messages {
  const own = crypto.randomUUID();
  const listOf = (run: string, sender: string): string => `${run}:messages:${sender}`;
  const sendersOf = (run: string): string => `${run}:senders`;

  async function register(run: string): Promise<void> {
    for (;;) {
      const senders = (await items.read<string[]>(sendersOf(run))) ?? [];
      if (senders.includes(own)) return;
      await items.write(sendersOf(run), [...senders, own]);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    }
  }

  return {
    send: (run, message) =>
      queue(listOf(run, own), async () => {
        const key = listOf(run, own);
        const { dropped, messages } = (await items.readOwn<MessageList>(key)) ?? emptyList;
        const all = [...messages, { at: nextTime(), message }];
        const kept = latestOf(all);
        await items.write(key, {
          dropped: dropped + all.length - kept.length,
          messages: kept,
        });
        await register(run);
      }),
    listen(run) {
      /** How many messages of each sender were returned. */
      const read = new Map<string, number>();
      return async () => {
        const senders = (await items.read<string[]>(sendersOf(run))) ?? [];
        const lists = await Promise.all(
          senders.map(async (sender) => {
            const { dropped, messages } = (await items.read<MessageList>(listOf(run, sender))) ?? emptyList;
            const fresh = messages.slice(Math.max(0, (read.get(sender) ?? 0) - dropped));
            return { sender, fresh, length: dropped + messages.length };
          }),
        );
        for (const { sender, length } of lists) read.set(sender, Math.max(length, read.get(sender) ?? 0));
        const fresh = lists.flatMap((list) => list.fresh);
        return fresh.toSorted((one, other) => one.at - other.at).map(({ message }) => message);
      };
    },
  };
}

/** Returns a time after that of the last message, so that messages of one millisecond stay in order. */
function nextTime(): number {
  latest = Math.max(latest + 0.001, performance.timeOrigin + performance.now());
  return latest;
}

/** Returns the messages to keep: the latest one, and those before it within the limits. */
function latestOf(messages: readonly SentMessage[]): SentMessage[] {
  const recent = messages.slice(-KEPT_MESSAGES);
  let bytes = 0;
  for (let at = recent.length - 1; at >= 0; at -= 1) {
    bytes += utf8Length(JSON.stringify(recent[at]));
    if (bytes > KEPT_MESSAGE_BYTES && at < recent.length - 1) return recent.slice(at + 1);
  }
  return recent;
}
