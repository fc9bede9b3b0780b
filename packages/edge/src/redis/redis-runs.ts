import type { RunEvent } from '@cueline/core';
import { withPatience } from '../route/patience.ts';
import { follow, type Following, type Piece } from '../stores/follow.ts';
import type { NewRun, RunLogStore, RunMessage } from '../stores/run-log-store.ts';
import { createBell } from './bell.ts';
import { textOf, textsOf, type RedisClient } from './client.ts';
import { createHints } from './hints.ts';
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
  readSubject,
} from './run-scripts.ts';

export type RedisRunsOptions = {
  /** What every key and channel begins with. Default `cueline:`. */
  prefix?: string;
};

/** How much is written or read at once: a script holds up everybody else. */
const MOST_EVENTS = 250;
const MOST_BYTES = 512 * 1_024;
/** How often it is looked for what was not heard of, in milliseconds. */
const LOOK_MS = 5_000;
/** How long readers wait for a server that does not answer, in milliseconds. */
const PATIENCE_MS = 15_000;
/** A name outlives its run a little, as the run's end has a time of its own. It counts only while the run is there. */
const NAME_SLACK_MS = 60_000;
/** About as long as there have been computers: the server takes no time without an end. */
const LONGEST_MS = 2 ** 41;

/**
 * Keeps runs in Redis (6 or newer, or Valkey), for any number of instances: each can read, stop and answer the runs
 * of all. Events are in one stream for each run. Readers hear by publish and subscribe that there are new ones, on one
 * connection for all of them, which is a duplicate of `client` and there while anybody reads.
 *
 * A server that is away is waited for: what is written is tried again by the route, and readers go on where they were.
 * Every key expires by itself. A user with an access list needs the keys and the channels that begin with `prefix`.
 *
 * @example
 * const client = await createClient({ url }).on('error', console.error).connect();
 * const store = createRedisRuns(client);
 */
export function createRedisRuns(
  client: RedisClient,
  { prefix = 'cueline:' }: RedisRunsOptions = {},
): RunLogStore {
  const hints = createHints(client);

  /** Braces have a cluster keep all of a run together. */
  function keysOf(runId: string): [run: string, events: string, messages: string] {
    const run = `${prefix}run:{${runId}}`;
    return [run, `${run}:events`, `${run}:messages`];
  }

  function nameKey(...name: readonly string[]): string {
    return `${prefix}name:${JSON.stringify(name)}`;
  }

  async function subjectOf(runId: string): Promise<string | undefined> {
    return textOf(await readSubject(client, [keysOf(runId)[0]], []));
  }

  async function runOf(name: string): Promise<string | undefined> {
    const runId = textOf(await readName(client, [name], []));
    return runId !== undefined && (await subjectOf(runId)) !== undefined ? runId : undefined;
  }

  /** Gives the run that has the name already. */
  async function claim(name: string, { runId, runMs, replayMs }: NewRun): Promise<string | undefined> {
    const ms = wholeMs(runMs + replayMs + NAME_SLACK_MS);
    for (let gone = ''; ;) {
      const known = textOf(await claimName(client, [name], [runId, ms, gone]));
      if (known === undefined || (await subjectOf(known)) !== undefined) return known;
      gone = known;
    }
  }

  /** Looks from time to time, when there is a hint, and when the run is to be forgotten. */
  function look<Item, Position>(
    channel: string,
    from: Position,
    read: (from: Position) => Promise<Look<Item, Position> | undefined>,
  ): Following<Item> {
    const bell = createBell();
    const stopListening = hints.listen(channel, bell.ring);
    const left = new AbortController();
    let position = from;
    let ms = 0;
    return {
      leave() {
        left.abort();
        stopListening();
        bell.ring();
      },
      async next() {
        const found = await keepTrying(client, () => read(position), left.signal);
        if (found === undefined) return { items: [], over: true, more: false };
        // here, because a try that was given up may still come to something
        ({ ms, next: position } = found);
        return found;
      },
      pause: () => bell.wait(Math.min(LOOK_MS, ms + 1)),
    };
  }

  function messagesFrom(first: string, runId: string, signal: AbortSignal): AsyncIterable<RunMessage> {
    const [run, , messages] = keysOf(runId);
    const begin = (): Following<RunMessage> =>
      look(messagesChannel(prefix, runId), first, async (from) => {
        const found = textsOf(await readMessages(client, [run, messages], [from, String(MOST_EVENTS)]));
        if (found === undefined) return undefined;
        const [ms, ...pairs] = found;
        const ids = pairs.filter((_, index) => index % 2 === 0);
        const texts = pairs.filter((_, index) => index % 2 === 1);
        const items = texts.map((text) => JSON.parse(text) as RunMessage);
        const more = items.length === MOST_EVENTS;
        return { items, next: idAfter(ids.at(-1)) ?? from, more, over: false, ms: Number(ms) };
      });
    return follow(begin, signal);
  }

  return {
    subjectOf,
    async create(run) {
      const { runId, subject, key, chat, runMs, replayMs } = run;
      const keys = keysOf(runId);
      await createRun(client, [keys[0]], [subject, wholeMs(replayMs), wholeMs(runMs + replayMs)]);
      try {
        // not before: whoever finds the name finds the run
        const known = key === undefined ? undefined : await claim(nameKey('key', subject, key), run);
        if (known !== undefined) {
          await forgetRun(client, keys, []);
          return { runId: known };
        }
        if (chat !== undefined) {
          const ms = wholeMs(runMs + replayMs + NAME_SLACK_MS);
          await claimName(client, [nameKey('chat', subject, chat)], [runId, ms, '*']);
        }
        return 'created';
      } catch (error) {
        // it may have the name all the same, and whoever asks again must not find a run that nobody began
        forgetRun(client, keys, []).catch(() => {});
        throw error;
      }
    },
    find: (which) =>
      runOf(
        'key' in which
          ? nameKey('key', which.subject, which.key)
          : nameKey('chat', which.subject, which.chat),
      ),
    async append(runId, events) {
      for (const batch of batches(events)) {
        const reply = textsOf(
          await appendEvents(client, keysOf(runId), [eventsChannel(prefix, runId), ...batch.args]),
        );
        if (reply === undefined) throw new Error(`Run ${runId} is not known, or no longer.`);
        const [length = '', ended] = reply;
        if (ended === '2') return 'over';
        if (ended === '1') return undefined;
        if (batch.last >= Number(length)) {
          throw new Error(`Event ${batch.last} of run ${runId} came before ${length}.`);
        }
      }
      return undefined;
    },
    read(runId, afterSeq, signal) {
      const [run, log] = keysOf(runId);
      const begin = (): Following<RunEvent> =>
        look(eventsChannel(prefix, runId), afterSeq + 1, async (from) => {
          const args = [String(from), String(MOST_EVENTS), String(MOST_BYTES)];
          const found = textsOf(await readEvents(client, [run, log], args));
          if (found === undefined) return undefined;
          const [length, ended, ms, ...texts] = found;
          const items = texts.map((text) => JSON.parse(text) as RunEvent);
          if (from < Number(length) && items[0]?.seq !== from) throw new LostEvents(runId, from);
          const next = from + items.length;
          const more = next < Number(length);
          return { items, next, more, over: ended === '1' && !more, ms: Number(ms) };
        });
      return follow(begin, signal);
    },
    async tell(runId, message) {
      const [run, , messages] = keysOf(runId);
      await addMessage(client, [run, messages], [messagesChannel(prefix, runId), JSON.stringify(message)]);
    },
    told: (runId, signal) => messagesFrom('0-0', runId, signal),
    async listen(runId, signal) {
      const [, , messages] = keysOf(runId);
      const latest = textOf(await readLatestId(client, [messages], []));
      return messagesFrom(idAfter(latest) ?? '0-0', runId, signal);
    },
  };
}

type Look<Item, Position> = Piece<Item> & {
  /** Where to read on. */
  next: Position;
  /** How long the run is still kept. */
  ms: number;
};

/** Asks again while the server is away, for a while. What is gone, and a client that was closed, is not waited for. */
async function keepTrying<Value>(
  client: RedisClient,
  read: () => Promise<Value>,
  left: AbortSignal,
): Promise<Value> {
  const begun = performance.now();
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      return await withPatience(read(), PATIENCE_MS);
    } catch (error) {
      const isForGood = error instanceof LostEvents || !client.isOpen;
      if (isForGood || left.aborted || performance.now() - begun > PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

class LostEvents extends Error {
  constructor(runId: string, seq: number) {
    super(
      `Event ${seq} of run ${runId} is not there any more. Give Redis the policy "noeviction", so that it keeps what has not expired.`,
    );
  }
}

/** Events as a script's arguments, so many and so long that it is over soon. */
function* batches(events: readonly RunEvent[]): Generator<{ args: string[]; last: number }> {
  let args: string[] = [];
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const text = JSON.stringify(event);
    args.push(String(event.seq), event.type === 'run-end' ? '1' : '0', text);
    bytes += text.length;
    if (bytes < MOST_BYTES && args.length < 3 * MOST_EVENTS && index < events.length - 1) continue;
    yield { args, last: event.seq };
    args = [];
    bytes = 0;
  }
}

/** The least id of a stream's entry that is greater. */
function idAfter(id: string | undefined): string | undefined {
  return id?.replace(/\d+$/, (count) => String(BigInt(count) + 1n));
}

function eventsChannel(prefix: string, runId: string): string {
  return `${prefix}events:${runId}`;
}

function messagesChannel(prefix: string, runId: string): string {
  return `${prefix}messages:${runId}`;
}

function wholeMs(ms: number): string {
  return String(Math.ceil(Math.min(Math.max(ms, 1), LONGEST_MS)));
}
