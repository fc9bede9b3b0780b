import { checkNames } from '@cueline/core/server';
import { withTimeout } from '../../base/with-timeout.ts';
import { followList, type FollowedList, type ListSlice } from '../follow-list.ts';
import {
  KEPT_MESSAGE_BYTES,
  KEPT_MESSAGES,
  MAX_EXPIRY_MS,
  type EventBatch,
  type NewRun,
  type StoredRun,
  type RunLogStore,
  type RunMessage,
} from '../run-log-store.ts';
import { checkClient, replyText, replyTexts, type RedisClient } from './client.ts';
import {
  addMessage,
  appendEvents,
  claimName,
  createRun,
  forgetRun,
  readEvents,
  readLatestId,
  readMessages,
  readName,
  readRun,
} from './run-scripts.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createWakeup } from './wakeup.ts';

/** The options of {@link createRedisRuns}. */
export type RedisRunsOptions = {
  /** The prefix of every key and channel. Default `cueline:`. */
  prefix?: string;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof RedisRunsOptions, true> = { prefix: true };

/** How many events are written, or events or messages read, at once: a script blocks all other clients. */
const MAX_BATCH_EVENTS = 250;
const MAX_BATCH_BYTES = 512 * 1_024;
/** How often readers look for events whose notification was lost, in milliseconds. */
const POLL_MS = 5_000;
/** How long readers wait for a server that does not answer, in milliseconds. */
const MAX_AWAY_MS = 15_000;
/** A name outlives its run a little, because the run expires by its own end. It counts only while the run exists. */
const NAME_SLACK_MS = 60_000;

/**
 * Keeps runs in Redis (6 or newer, or Valkey), for any number of instances: each can read, stop and answer the
 * runs of all of them. The events of each run are in one stream. Publish and subscribe tells readers of new
 * events, over one connection for all of them: a duplicate of `client`, open while there are readers.
 *
 * If the server is unreachable, the route repeats its writes, and readers continue where they were. Every key
 * expires by itself. A user with an access list needs the keys and the channels that begin with `prefix`.
 * @throws CuelineError `invalid_options` for an unknown option, and for what is not a client of the `redis` package
 *
 * @example
 * const client = await createClient({ url }).on('error', console.error).connect();
 * const store = createRedisRuns(client);
 */
export function createRedisRuns(client: RedisClient, options: RedisRunsOptions = {}): RunLogStore {
  checkNames('createRedisRuns', options, Object.keys(optionNames), 'invalid_options');
  checkClient('createRedisRuns', client);
  const redis = new RedisLog(client, options);
  return {
    get: redis.get,
    async create(run) {
      const { runId, subject, key, chat, runMs, replayMs } = run;
      const keys = redis.keysOf(runId);
      await createRun(
        redis.client,
        [keys[0]],
        [subject, toMilliseconds(replayMs), toMilliseconds(runMs + replayMs)],
      );
      try {
        // not before: a reader that finds the name must find the run
        const known =
          key === undefined ? undefined : await redis.claim(redis.nameKey('key', subject, key), run);
        if (known !== undefined) {
          await forgetRun(redis.client, keys, []);
          return { runId: known };
        }
        if (chat !== undefined) {
          const ms = toMilliseconds(runMs + replayMs + NAME_SLACK_MS);
          await claimName(redis.client, [redis.nameKey('chat', subject, chat)], [runId, ms, '*']);
        }
        return 'created';
      } catch (error) {
        // only the reply may be lost: then the key names this run, and a repeated request must not find it
        forgetRun(redis.client, keys, []).catch(() => {});
        throw error;
      }
    },
    async forget(runId) {
      // the names count only while the run exists
      await forgetRun(redis.client, redis.keysOf(runId), []);
    },
    find: (which) =>
      redis.runOf(
        'key' in which
          ? redis.nameKey('key', which.subject, which.key)
          : redis.nameKey('chat', which.subject, which.chat),
      ),
    async append(runId, events) {
      const keys = redis.keysOf(runId);
      const channel = eventsChannel(redis.prefix, runId);
      for (const { first, items, ended } of parts(events)) {
        const args = [channel, String(first), ended ? '1' : '0', ...items];
        const reply = replyTexts(await appendEvents(redis.client, keys, args));
        if (reply === undefined) throw new Error(`Run ${runId} does not exist, or it is no longer stored.`);
        const [length = '', state] = reply;
        if (state === '2') return 'over';
        if (first > Number(length))
          throw new Error(`Event ${first} of run ${runId} cannot be stored: event ${length} comes next.`);
      }
      return undefined;
    },
    read(runId, afterSeq, signal) {
      const [run, log] = redis.keysOf(runId);
      const begin = (): FollowedList<EventBatch> =>
        redis.look(eventsChannel(redis.prefix, runId), afterSeq + 1, async (first) => {
          const args = [String(first), String(MAX_BATCH_EVENTS), String(MAX_BATCH_BYTES)];
          const found = replyTexts(await readEvents(redis.client, [run, log], args));
          if (found === undefined) return undefined;
          const [length, state, ms, id, ...items] = found;
          if (first < Number(length) && id !== `${first}-1`) throw new LostEvents(runId, first);
          const next = first + items.length;
          const more = next < Number(length);
          const ended = state === '1' && !more;
          const batches = items.length === 0 ? [] : [{ first, items, ended }];
          return { items: batches, next, more, over: ended, ms: Number(ms) };
        });
      return followList(begin, signal);
    },
    async send(runId, message) {
      const [run, , messages] = redis.keysOf(runId);
      const kept = [String(KEPT_MESSAGES), String(KEPT_MESSAGE_BYTES)];
      const args = [messagesChannel(redis.prefix, runId), JSON.stringify(message), ...kept];
      await addMessage(redis.client, [run, messages], args);
    },
    messages: (runId, signal) => redis.messagesFrom('0-0', runId, signal),
    async listen(runId, signal) {
      const [, , messages] = redis.keysOf(runId);
      const latest = replyText(await readLatestId(redis.client, [messages], []));
      return redis.messagesFrom(idAfter(latest) ?? '0-0', runId, signal);
    },
  };
}

/** The keys of runs in Redis, and how they are read. */
class RedisLog {
  readonly client: RedisClient;
  readonly prefix: NonNullable<RedisRunsOptions['prefix']>;
  readonly #subscriptions;

  constructor(client: RedisClient, { prefix = 'cueline:' }: RedisRunsOptions = {}) {
    this.client = client;
    this.prefix = prefix;
    this.#subscriptions = createSubscriptions(this.client);
  }

  /** Braces make a cluster keep all keys of a run together. */
  keysOf(runId: string): [run: string, events: string, messages: string] {
    const run = `${this.prefix}run:{${runId}}`;
    return [run, `${run}:events`, `${run}:messages`];
  }

  nameKey(...name: readonly string[]): string {
    return `${this.prefix}name:${JSON.stringify(name)}`;
  }

  readonly get = async (runId: string): Promise<StoredRun | undefined> => {
    const found = replyTexts(await readRun(this.client, [this.keysOf(runId)[0]], []));
    if (found === undefined) return undefined;
    const [subject = '', length, ended] = found;
    return { subject, endSeq: ended === '1' ? Number(length) - 1 : undefined };
  };

  async runOf(name: string): Promise<string | undefined> {
    const runId = replyText(await readName(this.client, [name], []));
    return runId !== undefined && (await this.get(runId)) !== undefined ? runId : undefined;
  }

  /** Returns the run that already has the name. */
  async claim(name: string, { runId, runMs, replayMs }: NewRun): Promise<string | undefined> {
    const ms = toMilliseconds(runMs + replayMs + NAME_SLACK_MS);
    for (let gone = ''; ;) {
      const known = replyText(await claimName(this.client, [name], [runId, ms, gone]));
      if (known === undefined || (await this.get(known)) !== undefined) return known;
      gone = known;
    }
  }

  /** Looks at intervals, after each notification, and when the run expires. */
  look<Item, Position>(
    channel: string,
    from: Position,
    read: (from: Position) => Promise<ReadResult<Item, Position> | undefined>,
  ): FollowedList<Item> {
    const wakeup = createWakeup();
    const stopListening = this.#subscriptions.listen(channel, wakeup.ring);
    const stopped = new AbortController();
    let position = from;
    let ms = 0;
    return {
      leave() {
        stopped.abort();
        stopListening();
        wakeup.ring();
      },
      next: async () => {
        const found = await retryWhileAway(this.client, () => read(position), stopped.signal);
        if (found === undefined) return { items: [], over: true, more: false };
        // here, because an attempt that was given up may still succeed later
        ({ ms, next: position } = found);
        return found;
      },
      pause: () => wakeup.wait(Math.min(POLL_MS, ms + 1)),
    };
  }

  messagesFrom(first: string, runId: string, signal: AbortSignal): AsyncIterable<RunMessage> {
    const [run, , messages] = this.keysOf(runId);
    const begin = (): FollowedList<RunMessage> =>
      this.look(messagesChannel(this.prefix, runId), first, async (from) => {
        const args = [from, String(MAX_BATCH_EVENTS), String(MAX_BATCH_BYTES)];
        const found = replyTexts(await readMessages(this.client, [run, messages], args));
        if (found === undefined) return undefined;
        const [ms, more, ...pairs] = found;
        const ids = pairs.filter((_, index) => index % 2 === 0);
        const texts = pairs.filter((_, index) => index % 2 === 1);
        const items = texts.map((text) => JSON.parse(text) as RunMessage);
        const next = idAfter(ids.at(-1)) ?? from;
        return { items, next, more: more === '1', over: false, ms: Number(ms) };
      });
    return followList(begin, signal);
  }
}

type ReadResult<Item, Position> = ListSlice<Item> & {
  /** The position to continue from. */
  next: Position;
  /** How long the run is still kept, in ms. */
  ms: number;
};

/**
 * Repeats a read while the server is unreachable, for a while. It does not wait for a removed run or a closed client.
 */
async function retryWhileAway<Value>(
  client: RedisClient,
  read: () => Promise<Value>,
  stopped: AbortSignal,
): Promise<Value> {
  const begun = performance.now();
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      return await withTimeout(read(), MAX_AWAY_MS);
    } catch (error) {
      const isForGood = error instanceof LostEvents || !client.isOpen;
      if (isForGood || stopped.aborted || performance.now() - begun > MAX_AWAY_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

class LostEvents extends Error {
  constructor(runId: string, seq: number) {
    super(
      `Event ${seq} of run ${runId} is missing. Give Redis the policy "noeviction", so that it keeps what has not expired.`,
    );
  }
}

/** The same events in batches so small that each script ends quickly. */
function* parts({ first, items, ended }: EventBatch): Generator<EventBatch> {
  let from = 0;
  let length = 0;
  for (const [index, event] of items.entries()) {
    length += event.length;
    const to = index + 1;
    if (length < MAX_BATCH_BYTES && to - from < MAX_BATCH_EVENTS && to < items.length) continue;
    yield { first: first + from, items: items.slice(from, to), ended: ended && to === items.length };
    from = to;
    length = 0;
  }
}

/** The lowest id of a stream's entry after this one. */
function idAfter(id: string | undefined): string | undefined {
  return id?.replace(/\d+$/, (count) => String(BigInt(count) + 1n));
}

function eventsChannel(prefix: string, runId: string): string {
  return `${prefix}events:${runId}`;
}

function messagesChannel(prefix: string, runId: string): string {
  return `${prefix}messages:${runId}`;
}

function toMilliseconds(ms: number): string {
  return String(Math.ceil(Math.min(Math.max(ms, 1), MAX_EXPIRY_MS)));
}
