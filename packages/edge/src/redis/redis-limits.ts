import type { LimitStore, Reserved } from '../limits.ts';
import { textsOf, type RedisClient } from './client.ts';
import { reserveCall, settleCall } from './limit-scripts.ts';

export type RedisLimitsOptions = {
  /** What every key begins with. Default `cueline:`. */
  prefix?: string;
  /** The clock, in ms since 1970. Default: the server's own, which is the same for every instance. */
  now?: (() => number) | undefined;
};

/**
 * Limits that hold for all instances together: calls and tokens are counted in Redis (6 or newer, or Valkey), each
 * time in one script, so that calls at the same time cannot overdraw them. What is kept of a subject expires two days
 * after its last call.
 *
 * @example
 * const store = createRedisLimits(client);
 */
export function createRedisLimits(
  client: RedisClient,
  { prefix = 'cueline:', now }: RedisLimitsOptions = {},
): LimitStore {
  /** Braces have a cluster keep them together; a subject's own would end them, and none at all is in between. */
  function keysOf(subject: string): string[] {
    const account = `${prefix}limits:{${subject.replaceAll(/[{}%]/g, encodeURIComponent)}}`;
    return [account, `${account}:begun`, `${account}:leases`];
  }

  const time = (): string => (now === undefined ? '' : String(now()));

  return {
    async reserve({ subject, id, tokens, rpm, concurrent, dailyTokens, leaseMs }) {
      const numbers = [tokens, rpm, concurrent, dailyTokens, leaseMs].map(String);
      const refused = textsOf(await reserveCall(client, keysOf(subject), [time(), id, ...numbers]));
      if (refused === undefined) return { ok: true };
      const [why, ms] = refused;
      return { ok: false, why, retryAfterMs: Number(ms) } as Reserved;
    },
    async settle({ subject, id, tokens }) {
      await settleCall(client, keysOf(subject), [time(), id, String(tokens)]);
    },
  };
}
