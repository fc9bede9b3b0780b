import { KEPT_MESSAGES, type RunMessage } from '../run-log-store.ts';
import type { ItemAccess } from './items.ts';
import type { Turns } from './keyed-queue.ts';

/** The messages about runs. */
export type Messages = {
  tell(run: string, message: RunMessage): Promise<void>;
  /** Returns the messages since its last call. */
  listen(run: string): () => Promise<RunMessage[]>;
};

type SentMessage = { at: number; message: RunMessage };
/** The messages of one sender, except for the first `gone`. */
type MessageList = { gone: number; told: SentMessage[] };

const nothing: MessageList = { gone: 0, told: [] };

/** How long to wait before checking whether another sender has overwritten a list, in milliseconds. */
const SETTLE_MS = 50;

let latest = 0;

/** Keeps the messages of this process in order, also within one millisecond. */
function momentAfterTheLast(): number {
  latest = Math.max(latest + 0.001, performance.timeOrigin + performance.now());
  return latest;
}

/**
 * Each sender has its own list for each run, so that senders do not overwrite each other's messages. A further list
 * names
 * the senders; each adds itself until it finds itself in it.
 */
export function createMessages(items: ItemAccess, inTurn: Turns): Messages {
  const own = crypto.randomUUID();
  const listOf = (run: string, teller: string): string => `${run}:messages:${teller}`;
  const tellersOf = (run: string): string => `${run}:tellers`;

  async function register(run: string): Promise<void> {
    for (;;) {
      const tellers = (await items.read<string[]>(tellersOf(run))) ?? [];
      if (tellers.includes(own)) return;
      await items.write(tellersOf(run), [...tellers, own]);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    }
  }

  return {
    tell: (run, message) =>
      inTurn(listOf(run, own), async () => {
        const { gone, told } = (await items.read<MessageList>(listOf(run, own))) ?? nothing;
        const all = [...told, { at: momentAfterTheLast(), message }];
        const kept = all.slice(-KEPT_MESSAGES);
        await items.write(listOf(run, own), { gone: gone + all.length - kept.length, told: kept });
        await register(run);
      }),
    listen(run) {
      const heard = new Map<string, number>();
      return async () => {
        const tellers = (await items.read<string[]>(tellersOf(run))) ?? [];
        const lists = await Promise.all(
          tellers.map(async (teller) => {
            const { gone, told } = (await items.read<MessageList>(listOf(run, teller))) ?? nothing;
            const fresh = told.slice(Math.max(0, (heard.get(teller) ?? 0) - gone));
            return { teller, fresh, length: gone + told.length };
          }),
        );
        for (const { teller, length } of lists) heard.set(teller, Math.max(length, heard.get(teller) ?? 0));
        const fresh = lists.flatMap((list) => list.fresh);
        return fresh.toSorted((one, other) => one.at - other.at).map(({ message }) => message);
      };
    },
  };
}
