import { checkNames } from '@cueline/core/server';
import { checkNumbers } from '../base/check-numbers.ts';
import type { ShareStorage } from './share-storage.ts';

/** The options of {@link createMemoryShares}. */
export type MemorySharesOptions = {
  /** How many bytes are kept; beyond that, the oldest shares are forgotten first. Default 64 MiB. */
  maxBytes?: number;
  /** The clock, in ms since 1970; default `Date.now`. */
  now?: () => number;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof MemorySharesOptions, true> = { maxBytes: true, now: true };

type ShareEntry = { body: Uint8Array; expiresAt: number; owner: string | undefined };

/** About what a share costs besides its bytes, so that many empty shares cannot fill a process. */
const OVERHEAD = 256;

/**
 * Keeps shares in this process, for development and for a single instance: nothing outlives the process, and if
 * there is no room for a new share, the oldest ones are forgotten before they expire.
 * @throws CuelineError `invalid_options` for an unknown option, or a limit that is not a number of at least 1
 */
export function createMemoryShares(options: MemorySharesOptions = {}): ShareStorage {
  checkNames('createMemoryShares', options, Object.keys(optionNames), 'invalid_options');
  checkNumbers('createMemoryShares', { maxBytes: options.maxBytes });
  const { maxBytes = 64 << 20, now = Date.now } = options;
  const shares = new Map<string, ShareEntry>();
  let used = 0;

  function get(id: string): ShareEntry | undefined {
    const share = shares.get(id);
    if (share === undefined || now() < share.expiresAt) return share;
    remove(id, share);
    return undefined;
  }

  function remove(id: string, { body }: ShareEntry): void {
    shares.delete(id);
    used -= body.byteLength + OVERHEAD;
  }

  /** If a full storage refused new shares until old ones expire, a few clients could block all others for a month. */
  function makeRoom(size: number): void {
    for (const [id, share] of shares) {
      if (used + size <= maxBytes) return;
      remove(id, share);
    }
  }

  return {
    async put(id, { body, expiresAt, owner }) {
      if (get(id) !== undefined) return false;
      const size = body.byteLength + OVERHEAD;
      if (size > maxBytes)
        throw new Error(
          `The share store in memory holds at most ${maxBytes} bytes. Raise maxBytes of createMemoryShares.`,
        );
      makeRoom(size);
      shares.set(id, { body: body.slice(), expiresAt, owner });
      used += size;
      return true;
    },
    async get(id) {
      return get(id)?.body.slice();
    },
    async remove(id, owner) {
      const share = get(id);
      if (share === undefined || share.owner !== owner) return false;
      remove(id, share);
      return true;
    },
  };
}
