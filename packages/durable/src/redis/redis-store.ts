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
 * How many events one argument of a script has, and after how many characters it gets no more. The `redis` package
 * cannot send a command with 100,000 arguments.
 */
const MAX_LINES = 1_000;
const MAX_LENGTH = 1 << 20;

/**
 * Stores runs in Redis 6 or newer, or in Valkey. Nothing expires. Redis must write to the disk (`appendonly yes`) and
 * must not evict keys (`maxmemory-policy noeviction`).
 * @throws CuelineError `invalid_options` for an unknown option, and for what is not a client of the `redis` package,
 * such as an address
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
  return new RedisStore(client, options.prefix ?? 'cueline:durable:');
}

class RedisStore implements DurableStore {
  readonly #client: RedisClient;
  readonly #prefix: string;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  readonly create: DurableStore['create'] = async ({ runId, key, start }) => {
    const { subject, chat } = start.owner ?? {};
    for (;;) {
      // if the process that took the name did not create its run, this process does
      const named =
        key === undefined ? runId : String(await this.#run(scripts.takeName, [this.#nameKey(key)], [runId]));
      // lists come first: a listed run that does not exist is harmless, and a stored run in no list would be lost
      await this.#run(scripts.addUnfinished, [this.#unfinishedKey], [String(Date.now()), named]);
      if (subject !== undefined && chat !== undefined) {
        await this.#run(scripts.addTurn, [this.#turnsKey(subject, chat)], [named]);
      }
      const texts = [JSON.stringify(start), JSON.stringify(key ?? null)];
      const found = await this.#run(scripts.createRun, [this.#keysOf(named).run], texts);
      if (key === undefined || found !== 'other') {
        return found === 'created' && named === runId ? 'created' : { runId: named };
      }
      // a start that was refused took the name: this one, or one whose process ended before it did this
      await this.#run(scripts.dropName, [this.#nameKey(key)], [named]);
      if (named === runId) throw notStoredError(runId);
    }
  };

  readonly find: DurableStore['find'] = async (which) => {
    if ('runId' in which) return this.#describe(which.runId);
    if ('chat' in which) return this.#latest(which);
    const named = await this.#run(scripts.readName, [this.#nameKey(which.key)]);
    return named === undefined ? undefined : this.#describe(String(named), which.key);
  };

  readonly claim: DurableStore['claim'] = async (runId, afterSeq) => {
    const { run, events, commands } = this.#keysOf(runId);
    const claimed = await this.#run(scripts.claimRun, [run, events, commands], [String(afterSeq + 1)]);
    if (claimed === 'ended') {
      // the worker that ended the run may have been killed before it did this
      await this.#run(scripts.removeUnfinished, [this.#unfinishedKey], [runId]);
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
  };

  readonly append: DurableStore['append'] = async (runId, epoch, events) => {
    const [first] = events;
    const keys = this.#keysOf(runId);
    const ended = events.at(-1)?.type === 'run-end';
    const stored = await this.#run(
      scripts.appendEvents,
      [keys.run, keys.events, keys.commands],
      [String(epoch), String(first?.seq ?? ''), ended ? '1' : '0', ...toLines(events)],
    );
    if (stored !== 1) return false;
    // if this fails, the next claim removes the run from the list
    if (ended) await this.#run(scripts.removeUnfinished, [this.#unfinishedKey], [runId]).catch(() => {});
    return true;
  };

  readonly send: DurableStore['send'] = async (runId, stored) => {
    const { run, commands } = this.#keysOf(runId);
    const sent = await this.#run(scripts.sendCommand, [run, commands], [stored.name, JSON.stringify(stored)]);
    return typeof sent === 'string' ? readCommands([sent])[0] : undefined;
  };

  readonly commands: DurableStore['commands'] = async (runId) => {
    const found = await this.#run(scripts.readCommands, [this.#keysOf(runId).commands]);
    return Array.isArray(found) ? readCommands(found) : [];
  };

  readonly forget: DurableStore['forget'] = async (runId, names) => {
    if (names.length > 0) await this.#run(scripts.forgetCommands, [this.#keysOf(runId).commands], [...names]);
  };

  readonly read: DurableStore['read'] = async (runId, afterSeq) => {
    const keys = this.#keysOf(runId);
    const found = await this.#run(scripts.readRun, [keys.run, keys.events], [String(afterSeq + 1)]);
    if (!Array.isArray(found)) return undefined;
    const [ended, ...events] = found;
    return { events: events.map(readEvent), ended: ended === '1' };
  };

  readonly unfinished: DurableStore['unfinished'] = async () => {
    const found = await this.#run(scripts.readUnfinished, [this.#unfinishedKey]);
    return Array.isArray(found) ? found : [];
  };

  #run(script: RedisScript, keys: string[], args: string[] = []): Promise<Reply> {
    return script(this.#client, keys, args);
  }

  get #unfinishedKey(): string {
    return `${this.#prefix}unfinished`;
  }

  /** The braces make a cluster keep all keys of a run in one slot. */
  #keysOf(runId: string): { run: string; events: string; commands: string } {
    const key = `${this.#prefix}run:{${runId}}`;
    return { run: key, events: `${key}:events`, commands: `${key}:commands` };
  }

  /** The key under which the run of a start's key is stored. */
  #nameKey(key: string): string {
    return `${this.#prefix}key:${key}`;
  }

  #turnsKey(subject: string, chat: string): string {
    return `${this.#prefix}chat:${JSON.stringify([subject, chat])}`;
  }

  /** Returns a run; undefined if it does not exist, or if it has another key than `key`. */
  async #describe(runId: string, key?: string): Promise<FoundRun | undefined> {
    const keys = this.#keysOf(runId);
    const found = await this.#run(scripts.describeRun, [keys.run, keys.events]);
    if (!Array.isArray(found)) return undefined;
    const [start = '', length = '', ended, ownKey] = found;
    if (key !== undefined && ownKey !== undefined && ownKey !== JSON.stringify(key)) return undefined;
    const { prompt, owner } = JSON.parse(start) as DurableStart;
    const count = Number(length);
    return { runId, prompt, owner, length: count, endSeq: ended === '1' ? count - 1 : undefined };
  }

  /**
   * Returns the latest run of a conversation. Its list may contain runs that were never created, and runs of other
   * users that were started with the same key.
   */
  async #latest({ subject, chat }: { subject: string; chat: string }): Promise<FoundRun | undefined> {
    for (let index = 0; ; index += 1) {
      const turn = await this.#run(scripts.readTurn, [this.#turnsKey(subject, chat)], [String(index)]);
      if (turn === undefined) return undefined;
      const found = await this.#describe(String(turn));
      if (found?.owner?.subject === subject && found.owner.chat === chat) return found;
    }
  }
}

/** Returns the events as JSON, many in one text, each on a line. JSON has no line breaks. */
function toLines(events: readonly RunEvent[]): string[] {
  const texts: string[] = [];
  let lines: string[] = [];
  let length = 0;
  for (const event of events) {
    const line = JSON.stringify(event);
    lines.push(line);
    length += line.length;
    if (lines.length < MAX_LINES && length < MAX_LENGTH) continue;
    texts.push(lines.join('\n'));
    lines = [];
    length = 0;
  }
  if (lines.length > 0) texts.push(lines.join('\n'));
  return texts;
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
