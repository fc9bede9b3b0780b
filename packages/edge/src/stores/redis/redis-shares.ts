import { checkNames } from '@cueline/core/server';
import type { ShareStorage } from '../../shares/share-storage.ts';
import { fromBase64, toBase64 } from '../base64.ts';
import { checkClient, createScript, replyText, type RedisClient, type RedisScript } from './client.ts';

/** The options of {@link createRedisShares}. */
export type RedisSharesOptions = {
  /** The prefix of every key. Default `cueline:`. */
  prefix?: string;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof RedisSharesOptions, true> = { prefix: true };

/** Keys: a share. Arguments: the share, when it expires, in ms since 1970. Returns 1 if there was none. */
const putShare: RedisScript = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
`);

const getShare: RedisScript = createScript(`
return redis.call('GET', KEYS[1])
`);

/** Keys: a share. Arguments: its owner. Returns 1 if this owner had a share there. */
const removeShare: RedisScript = createScript(`
local share = redis.call('GET', KEYS[1])
local head = ARGV[1] .. '.'
if not share or string.sub(share, 1, #head) ~= head then return 0 end
return redis.call('DEL', KEYS[1])
`);

/**
 * Keeps shares in Redis (6 or newer, or Valkey), for any number of instances. The server removes expired shares.
 * @throws CuelineError `invalid_options` for an unknown option, and for what is not a client of the `redis` package
 */
export function createRedisShares(client: RedisClient, options: RedisSharesOptions = {}): ShareStorage {
  checkNames('createRedisShares', options, Object.keys(optionNames), 'invalid_options');
  checkClient('createRedisShares', client);
  const { prefix = 'cueline:' } = options;
  const keyOf = (id: string): string => `${prefix}share:${id}`;
  return {
    async put(id, { body, expiresAt, owner }) {
      // base64 has no dot
      const text = `${owner === undefined ? '' : `${owner}.`}${toBase64(body)}`;
      const put = await putShare(client, [keyOf(id)], [text, String(Math.ceil(expiresAt))]);
      return Number(put) === 1;
    },
    async get(id) {
      const text = replyText(await getShare(client, [keyOf(id)], []));
      return text === undefined ? undefined : fromBase64(text.slice(text.indexOf('.') + 1));
    },
    async remove(id, owner) {
      return Number(await removeShare(client, [keyOf(id)], [owner])) === 1;
    },
  };
}
