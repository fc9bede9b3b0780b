import type { RunEvent } from '@cueline/core';
import type { DurableCommand } from '@cueline/core/durable';
import { checkMethods } from '../check-methods.ts';
import { notStoredError } from '../not-stored-error.ts';
import type { DurableStart, DurableStore } from '../store.ts';
import { createTables, statements } from './statements.ts';

/** A client of Postgres: a `Pool` or `Client` of `pg`, or PGlite. */
export type SqlClient = {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
};

/**
 * Stores runs in Postgres, or in PGlite on the disk of a single machine. On its first use, the store creates its
 * tables, whose names begin with `cueline_`. Every write is one statement.
 * @throws CuelineError `invalid_options` for what is not a client, such as an address
 *
 * @example
 * import { PGlite } from '@electric-sql/pglite';
 * const store = createSqlStore(new PGlite('./runs'));
 */
export function createSqlStore(client: SqlClient): DurableStore {
  checkMethods(
    'The client of createSqlStore',
    client,
    ['query'],
    'createSqlStore(new Pool({ connectionString }))',
  );
  return new SqlStore(client);
}

class SqlStore implements DurableStore {
  readonly #client: SqlClient;
  #ready: Promise<unknown> | undefined;

  constructor(client: SqlClient) {
    this.#client = client;
  }

  readonly create: DurableStore['create'] = async ({ runId, key, start }) => {
    const { subject = null, chat = null } = start.owner ?? {};
    const values = [runId, key ?? null, JSON.stringify(start), subject, chat];
    const created = await this.#query<object>(statements.create, values);
    if (created.length > 0) return 'created';
    const [known] = await this.#query<{ run_id: string }>(statements.known, [runId, key ?? null]);
    if (known === undefined) throw notStoredError(runId);
    return { runId: known.run_id };
  };

  readonly claim: DurableStore['claim'] = async (runId, afterSeq) => {
    const [claimed] = await this.#query<Claimed>(statements.claim, [runId, afterSeq]);
    if (claimed === undefined) {
      const [run] = await this.#query<object>(statements.ended, [runId]);
      if (run === undefined) return undefined;
      // a command may have come while the run ended; its sender woke the run
      await this.#query(statements.forgetAll, [runId]);
      return 'ended';
    }
    const bodies = JSON.parse(claimed.events ?? '[]') as string[];
    const commands = JSON.parse(claimed.commands ?? '[]') as [name: string, body: string][];
    const isWhole = bodies.length >= claimed.length - (afterSeq + 1);
    return {
      epoch: claimed.epoch,
      start: JSON.parse(claimed.start) as DurableStart,
      // other workers can no longer add events
      events: isWhole ? bodies.map(readEvent) : ((await this.read(runId, afterSeq))?.events ?? []),
      commands: commands.map(([name, body]) => ({ name, command: JSON.parse(body) as DurableCommand })),
    };
  };

  readonly append: DurableStore['append'] = async (runId, epoch, events) => {
    const [first] = events;
    if (first === undefined) return (await this.#query<object>(statements.owned, [runId, epoch])).length > 0;
    const bodies = events.map((event) => JSON.stringify(event));
    const ended = events.at(-1)?.type === 'run-end';
    const rows = await this.#query<object>(statements.append, [runId, epoch, first.seq, bodies, ended]);
    return rows.length > 0;
  };

  readonly send: DurableStore['send'] = async (runId, { name, command }) => {
    const added = await this.#query<object>(statements.send, [runId, name, JSON.stringify(command)]);
    if (added.length > 0) return { name, command };
    const [known] = await this.#query<{ body: string }>(statements.sent, [runId, name]);
    return known === undefined ? undefined : { name, command: JSON.parse(known.body) as DurableCommand };
  };

  readonly commands: DurableStore['commands'] = async (runId) => {
    const rows = await this.#query<{ name: string; body: string }>(statements.commands, [runId]);
    return rows.map(({ name, body }) => ({ name, command: JSON.parse(body) as DurableCommand }));
  };

  readonly forget: DurableStore['forget'] = async (runId, names) => {
    if (names.length > 0) await this.#query(statements.forget, [runId, names]);
  };

  readonly read: DurableStore['read'] = async (runId, afterSeq) => {
    const rows = await this.#query<Read>(statements.read, [runId, afterSeq]);
    const [run] = rows;
    if (run === undefined) return undefined;
    const { ended } = run;
    return { events: rows.flatMap(({ body }) => (body === null ? [] : [readEvent(body)])), ended };
  };

  readonly find: DurableStore['find'] = async (which) => {
    const [text, values] =
      'runId' in which
        ? [statements.byId, [which.runId]]
        : 'key' in which
          ? [statements.byKey, [which.key]]
          : [statements.byChat, [which.subject, which.chat]];
    const [run] = await this.#query<{ run_id: string; start: string; length: number; ended: boolean }>(
      text,
      values,
    );
    if (run === undefined) return undefined;
    const { length } = run;
    const { prompt, owner } = JSON.parse(run.start) as DurableStart;
    return { runId: run.run_id, prompt, owner, length, endSeq: run.ended ? length - 1 : undefined };
  };

  readonly unfinished: DurableStore['unfinished'] = async () => {
    const rows = await this.#query<{ run_id: string }>(statements.unfinished, []);
    return rows.map(({ run_id: runId }) => runId);
  };

  async #query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      await (this.#ready ??= this.#client.query(createTables));
    } catch (error) {
      // the next call tries again
      this.#ready = undefined;
      throw error;
    }
    return (await this.#client.query(text, values)).rows as Row[];
  }
}

type Read = { ended: boolean; body: string | null };

type Claimed = {
  epoch: number;
  start: string;
  length: number;
  /** Lists as JSON; null if they are empty. */
  events: string | null;
  commands: string | null;
};

function readEvent(body: string): RunEvent {
  return JSON.parse(body) as RunEvent;
}
