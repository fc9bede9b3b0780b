import { KEPT_MESSAGES, type RunMessage } from '../run-log-store.ts';
import type { ItemAccess } from './items.ts';
import type { Turns } from './turns.ts';

/** What is told about runs. */
export type Messages = {
  tell(run: string, message: RunMessage): Promise<void>;
  /** Gives what is new since it was called last. */
  listen(run: string): () => Promise<RunMessage[]>;
};

type SentMessage = { at: number; message: RunMessage };
/** What somebody told, but for the first `gone`. */
type MessageList = { gone: number; told: SentMessage[] };

const nothing: MessageList = { gone: 0, told: [] };

/** How long it is waited before it is looked whether somebody else has written over a list, in milliseconds. */
const SETTLE_MS = 50;

let latest = 0;

/** So that what is told in this process is in its order, also within one millisecond. */
function momentAfterTheLast(): number {
  latest = Math.max(latest + 0.001, performance.timeOrigin + performance.now());
  return latest;
}

/**
 * Everybody who tells has a list of their own for each run, so that nobody writes over what another tells; and a list
 * says who they are, to which everybody adds themselves until they find that they are on it.
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
