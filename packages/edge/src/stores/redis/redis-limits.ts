import { checkNames } from '@cueline/core/server';
import type { Adjusted, Adjustment, LimitStore, Reserved } from '../../limits/limit-store.ts';
import { checkClient, replyTexts, type RedisClient, type Reply } from './client.ts';
import { adjustCall, reserveCall, settleCall } from './limit-scripts.ts';

/** The options of {@link createRedisLimits}. */
export type RedisLimitsOptions = {
  /** The prefix of every key. Default `cueline:`. */
  prefix?: string;
  /** The clock, in ms since 1970. Default: the server's own, which is the same for every instance. */
  now?: (() => number) | undefined;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof RedisLimitsOptions, true> = { now: true, prefix: true };

/**
 * Limits that apply to all instances together: calls, tokens and costs are counted in Redis (6 or newer, or
 * Valkey), each time in one script, so that simultaneous calls cannot overdraw them. In a cluster all counts
 * are in one slot, because a call counts for its subject and for all subjects together, or not at all. The
 * counts of a subject expire two days after its last call.
 * @throws CuelineError `invalid_options` for an unknown option, and for what is not a client of the `redis` package
 *
 * @example
 * const store = createRedisLimits(client);
 */
export function createRedisLimits(client: RedisClient, options: RedisLimitsOptions = {}): LimitStore {
  checkNames('createRedisLimits', options, Object.keys(optionNames), 'invalid_options');
  checkClient('createRedisLimits', client);
  const { prefix = 'cueline:', now } = options;
  /** Braces make a cluster keep the keys together; braces in a subject come after them, and mean nothing. */
  const keyOf = (kind: string, name: string): string => `${prefix}{limits}:${kind}:${name}`;

  const keysOf = (subject: string, group = 'calls'): string[] => [
    ...['account', 'begun', 'leases'].map((kind) => keyOf(kind, subject)),
    keyOf('total', group),
  ];

  const time = (): string => (now === undefined ? '' : String(now()));

  function amountOf(call: Adjustment): string[] {
    const { tokens, cost = 0, dailyTokens, dailyCost = Infinity } = call;
    const { totalDailyTokens = Infinity, totalDailyCost = Infinity } = call;
    return [tokens, cost, dailyTokens, dailyCost, totalDailyTokens, totalDailyCost].map(String);
  }

  return {
    async reserve(call) {
      const { subject, id, group, epoch = 0, rpm, concurrent, continues = false, leaseMs } = call;
      const numbers = [...amountOf(call), ...[rpm, concurrent, leaseMs, continues, epoch].map(String)];
      return answerOf(
        await reserveCall(client, keysOf(subject, group), [time(), id, ...numbers]),
      ) as Reserved;
    },
    async adjust(call) {
      const { subject, id, group, epoch = '', leaseMs = '' } = call;
      const numbers = [...amountOf(call), String(leaseMs), String(epoch)];
      return answerOf(await adjustCall(client, keysOf(subject, group), [time(), id, ...numbers]));
    },
    async settle({ subject, id, group, epoch = '', tokens = NaN, cost = 0 }) {
      const numbers = [tokens, cost, epoch].map(String);
      await settleCall(client, keysOf(subject, group), [time(), id, ...numbers]);
    },
  };
}

function answerOf(reply: Reply): Adjusted {
  const refused = replyTexts(reply);
  if (refused === undefined) return { ok: true };
  const [why, ms] = refused;
  return why === 'ended' ? { ok: false, why } : ({ ok: false, why, retryAfterMs: Number(ms) } as Reserved);
}
