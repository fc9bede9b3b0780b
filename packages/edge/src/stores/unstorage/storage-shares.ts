import { checkNames } from '@cueline/core/server';
import type { ShareStorage } from '../../shares/share-storage.ts';
import { fromBase64, toBase64 } from '../base64.ts';
import { createItemAccess, itemKey, type ItemStorage } from './item-access.ts';
import { queueOf } from './keyed-queue.ts';
import { atMostEvery, sweepSingles, type Expiring } from './sweep.ts';

/** The options of {@link createStorageShares}. */
export type StorageSharesOptions = {
  /** The clock, in ms since 1970. Default `Date.now`. */
  now?: () => number;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof StorageSharesOptions, true> = { now: true };

type KeptShare = Expiring & { body: string; owner?: string };

const SHARES = 'cueline:shares:';
const SWEEP_MS = 10 * 60_000;

/**
 * Keeps shares in a storage of `unstorage`. If two instances put a share under one id at the same moment, both
 * may be told that theirs is kept, and only one is. Random ids, as `createShareStore` makes them, do not
 * collide.
 * @throws CuelineError `invalid_options` for an unknown option
 */
export function createStorageShares(storage: ItemStorage, options: StorageSharesOptions = {}): ShareStorage {
  checkNames('createStorageShares', options, Object.keys(optionNames), 'invalid_options');
  const { now = Date.now } = options;
  const items = createItemAccess(storage);
  const queue = queueOf(storage);
  const tidyUp = atMostEvery(SWEEP_MS, () => sweepSingles(items, SHARES, now));

  async function get(key: string): Promise<KeptShare | undefined> {
    const share = await items.read<KeptShare>(key);
    return share !== undefined && now() < share.expiresAt ? share : undefined;
  }

  return {
    async put(id, { body, expiresAt, owner }) {
      tidyUp();
      const kept = { body: toBase64(body), expiresAt };
      const share: KeptShare = owner === undefined ? kept : { ...kept, owner };
      const key = SHARES + (await itemKey(id));
      return queue(key, async () => {
        if ((await get(key)) !== undefined) return false;
        await items.write(key, share);
        return true;
      });
    },
    async get(id) {
      tidyUp();
      const key = SHARES + (await itemKey(id));
      const share = await items.read<KeptShare>(key);
      if (share === undefined) return undefined;
      if (now() < share.expiresAt) return fromBase64(share.body);
      queue(key, async () => {
        // another share may have the id meanwhile
        if ((await get(key)) === undefined) await items.remove(key);
      }).catch(() => {});
      return undefined;
    },
    async remove(id, owner) {
      const key = SHARES + (await itemKey(id));
      return queue(key, async () => {
        if ((await get(key))?.owner !== owner) return false;
        await items.remove(key);
        return true;
      });
    },
  };
}
