import type { RunEvent } from '@cueline/core';
import type { DurableCommand } from '@cueline/core/durable';
import { checkNames } from '@cueline/core/server';
import { checkMethods } from '../check-methods.ts';
import { notStoredError } from '../not-stored-error.ts';
import type { DurableStart, DurableStore, FoundRun, StoredCommand } from '../store.ts';
import type { RedisClient, RedisScript, Reply } from './client.ts';
import * as scripts from './scripts.ts';

/** The options of {@link createRedisStore}. */
export type RedisStoreOptions = {
  /** The prefix of every key. Default `cueline:durable:`. */
  prefix?: string | undefined;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof RedisStoreOptions, true> = { prefix: true };

/**
 * Stores runs in Redis 6 or newer, or in Valkey. Nothing expires. Redis must write to the disk (`appendonly yes`) and must not
 * evict keys (`maxmemory-policy noeviction`).
 * @throws CuelineError `invalid_options` for an unknown option, and for what is not a client of the `redis` package, such as an address
 *
 * @example
 * const client = await createClient({ url }).on('error', console.error).connect();
 * const store = createRedisStore(client);
 */
export function createRedisStore(client: RedisClient, options: RedisStoreOptions = {}): DurableStore {
  checkNames('createRedisStore', options, Object.keys(optionNames), 'invalid_options');
  checkMethods(
    'The client of createRedisStore',
    client,
    ['eval', 'evalSha'],
    "createRedisStore(await createClient({ url }).connect()), with the client of the package 'redis'",
  );
  const { prefix = 'cueline:durable:' } = options;
  const unfinished = `${prefix}unfinished`;
  const run = (script: RedisScript, keys: string[], args: string[] = []): Promise<Reply> =>
    script(client, keys, args);

  /** The braces make a cluster keep all keys of a run in one slot. */
  function keysOf(runId: string): { run: string; events: string; commands: string } {
    const key = `${prefix}run:{${runId}}`;
    return { run: key, events: `${key}:events`, commands: `${key}:commands` };
  }

  /** The key under which the run of a start's key is stored. */
  function nameKey(key: string): string {
    return `${prefix}key:${key}`;
  }

  function turnsKey(subject: string, chat: string): string {
    return `${prefix}chat:${JSON.stringify([subject, chat])}`;
  }

  /** Returns a run; undefined if it does not exist, or if it has another key than `key`. */
  async function describe(runId: string, key?: string): Promise<FoundRun | undefined> {
    const keys = keysOf(runId);
    const found = await run(scripts.describeRun, [keys.run, keys.events]);
    if (!Array.isArray(found)) return undefined;
    const [start = '', length = '', ended, ownKey] = found;
    if (key !== undefined && ownKey !== undefined && ownKey !== JSON.stringify(key)) return undefined;
    const { prompt, owner } = JSON.parse(start) as DurableStart;
    const count = Number(length);
    return { runId, prompt, owner, length: count, endSeq: ended === '1' ? count - 1 : undefined };
  }

  /**
   * Returns the latest run of a conversation. Its list may contain runs that were never created, and runs of other users that
   * were started with the same key.
   */
  async function latest({ subject, chat }: { subject: string; chat: string }): Promise<FoundRun | undefined> {
    for (let at = 0; ; at += 1) {
      const turn = await run(scripts.readTurn, [turnsKey(subject, chat)], [String(at)]);
      if (turn === undefined) return undefined;
      const found = await describe(String(turn));
      if (found?.owner?.subject === subject && found.owner.chat === chat) return found;
    }
  }

  return {
    async create({ runId, key, start }) {
      const { subject, chat } = start.owner ?? {};
      for (;;) {
        // if the process that took the name did not create its run, this process does
        const named =
          key === undefined ? runId : String(await run(scripts.takeName, [nameKey(key)], [runId]));
        // lists come first: a listed run that does not exist is harmless, and a stored run in no list would be lost
        await run(scripts.addUnfinished, [unfinished], [String(Date.now()), named]);
        if (subject !== undefined && chat !== undefined) {
          await run(scripts.addTurn, [turnsKey(subject, chat)], [named]);
        }
        const texts = [JSON.stringify(start), JSON.stringify(key ?? null)];
        const found = await run(scripts.createRun, [keysOf(named).run], texts);
        if (key === undefined || found !== 'other') {
          return found === 'created' && named === runId ? 'created' : { runId: named };
        }
        // a start that was refused took the name: this one, or one whose process ended before it did this
        await run(scripts.dropName, [nameKey(key)], [named]);
        if (named === runId) throw notStoredError(runId);
      }
    },
    async find(which) {
      if ('runId' in which) return describe(which.runId);
      if ('chat' in which) return latest(which);
      const named = await run(scripts.readName, [nameKey(which.key)]);
      return named === undefined ? undefined : describe(String(named), which.key);
    },
    async claim(runId, afterSeq) {
      const keys = keysOf(runId);
      const claimed = await run(
        scripts.claimRun,
        [keys.run, keys.events, keys.commands],
        [String(afterSeq + 1)],
      );
      if (claimed === 'ended') {
        // the worker that ended the run may have been killed before it did this
        await run(scripts.removeUnfinished, [unfinished], [runId]);
        return 'ended';
      }
      if (!Array.isArray(claimed)) return undefined;
      const [epoch = '', start = '', length = '', ...texts] = claimed;
      return {
        epoch: Number(epoch),
        start: JSON.parse(start) as DurableStart,
        events: texts.slice(0, Number(length)).map(readEvent),
        commands: readCommands(texts.slice(Number(length))),
      };
    },
    async append(runId, epoch, events) {
      const [first] = events;
      const keys = keysOf(runId);
      const ended = events.at(-1)?.type === 'run-end';
      const stored = await run(
        scripts.appendEvents,
        [keys.run, keys.events, keys.commands],
        [
          String(epoch),
          String(first?.seq ?? ''),
          ended ? '1' : '0',
          ...events.map((event) => JSON.stringify(event)),
        ],
      );
      if (stored !== 1) return false;
      // if this fails, the next claim removes the run from the list
      if (ended) await run(scripts.removeUnfinished, [unfinished], [runId]).catch(() => {});
      return true;
    },
    async send(runId, stored) {
      const keys = keysOf(runId);
      const args = [stored.name, JSON.stringify(stored)];
      const sent = await run(scripts.sendCommand, [keys.run, keys.commands], args);
      return typeof sent === 'string' ? readCommands([sent])[0] : undefined;
    },
    async commands(runId) {
      const found = await run(scripts.readCommands, [keysOf(runId).commands]);
      return Array.isArray(found) ? readCommands(found) : [];
    },
    async forget(runId, names) {
      if (names.length > 0) await run(scripts.forgetCommands, [keysOf(runId).commands], [...names]);
    },
    async read(runId, afterSeq) {
      const keys = keysOf(runId);
      const found = await run(scripts.readRun, [keys.run, keys.events], [String(afterSeq + 1)]);
      if (!Array.isArray(found)) return undefined;
      const [ended, ...events] = found;
      return { events: events.map(readEvent), ended: ended === '1' };
    },
    async unfinished() {
      const found = await run(scripts.readUnfinished, [unfinished]);
      return Array.isArray(found) ? found : [];
    },
  };
}

function readEvent(text: string): RunEvent {
  return JSON.parse(text) as RunEvent;
}

/** Reads texts such as `12 {"name":…}`, and sorts them by their numbers. */
function readCommands(texts: readonly string[]): StoredCommand[] {
  return texts
    .map((text) => {
      const at = text.indexOf(' ');
      const stored = JSON.parse(text.slice(at)) as { name: string; command: DurableCommand };
      return { position: Number(text.slice(0, at)), stored };
    })
    .toSorted((one, other) => one.position - other.position)
    .map(({ stored }) => stored);
}
