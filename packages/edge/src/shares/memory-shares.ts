import type { ShareStorage } from './share-storage.ts';

export type MemorySharesOptions = {
  /** How many bytes are kept; what has no room is refused until something expires. Default 64 MiB. */
  maxBytes?: number;
  /** The clock, in ms since 1970; default `Date.now`. */
  now?: () => number;
};

type Kept = { body: Uint8Array; expiresAt: number };

/** About what a share costs besides its bytes, so that many empty ones are no way to fill a process. */
const OVERHEAD = 256;

/** Keeps shares in this process, for development and for a single instance; nothing outlives the process. */
export function createMemoryShares({
  maxBytes = 64 << 20,
  now = Date.now,
}: MemorySharesOptions = {}): ShareStorage {
  const shares = new Map<string, Kept>();
  let used = 0;
  /** When the first share expires; until then there is nothing to take out. */
  let firstExpiry = Infinity;

  function get(id: string): Kept | undefined {
    const share = shares.get(id);
    if (share === undefined || now() < share.expiresAt) return share;
    remove(id, share);
    return undefined;
  }

  function remove(id: string, { body }: Kept): void {
    shares.delete(id);
    used -= body.byteLength + OVERHEAD;
  }

  function makeRoom(): void {
    if (now() < firstExpiry) return;
    firstExpiry = Infinity;
    for (const [id, share] of shares) {
      if (now() >= share.expiresAt) remove(id, share);
      else firstExpiry = Math.min(firstExpiry, share.expiresAt);
    }
  }

  return {
    async put(id, { body, expiresAt }) {
      if (get(id) !== undefined) return false;
      const size = body.byteLength + OVERHEAD;
      if (used + size > maxBytes) makeRoom();
      if (used + size > maxBytes) throw new Error(`There is no room for more than ${maxBytes} bytes.`);
      shares.set(id, { body: body.slice(), expiresAt });
      used += size;
      firstExpiry = Math.min(firstExpiry, expiresAt);
      return true;
    },
    async get(id) {
      return get(id)?.body.slice();
    },
  };
}
