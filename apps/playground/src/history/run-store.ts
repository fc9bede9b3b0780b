import type { RunEvent } from '@cueline/core';
import { eventsOf, type EventKey, type HistoryDatabase } from './database.ts';
import { readAll, readRun, type RunRow } from './rows.ts';

/** The limits of the stored runs: their number, and the characters of all their logs together. */
export type RunBounds = { readonly runs: number; readonly size: number };

/** 200 runs, and 200 MB. */
const runBounds: RunBounds = { runs: 200, size: 200_000_000 };

/** Events to be added to a turn, as JSON. */
export type EventBatch = { readonly turn: number; readonly seq: number; readonly json: string };

/** A change of a stored run. */
export type RunChange = {
  readonly row: RunRow;
  readonly batches: readonly EventBatch[];
  /** The turns whose stored events are replaced; `all` for every turn. */
  readonly replaced: readonly number[] | 'all';
};

/** A removed run, with the rows that restore it. */
export type RemovedRun = {
  readonly row: unknown;
  readonly events: readonly (readonly [EventKey, unknown])[];
};

/** The runs in the database. Every method rejects if the database cannot be used. */
export type RunStore = {
  /** All readable runs, the last started first. */
  list(): Promise<RunRow[]>;
  get(id: string): Promise<RunRow | undefined>;
  /** The logs of a run, by turn; undefined if a part of them cannot be read. They are not checked yet. */
  logs(id: string): Promise<readonly (readonly RunEvent[])[] | undefined>;
  /**
   * Writes a change. If the database is open, the write has started when this returns, so that it survives a
   * closing page.
   */
  write(change: RunChange): Promise<void>;
  /** Changes the title or the pin. */
  update(id: string, change: Partial<Pick<RunRow, 'title' | 'pinned'>>): Promise<void>;
  remove(id: string): Promise<RemovedRun>;
  restore(removed: RemovedRun): Promise<void>;
  /** Removes all runs but these. */
  clear(kept: ReadonlySet<string>): Promise<void>;
  /** Removes the oldest runs beyond the bounds, except pinned ones and these. */
  prune(kept: ReadonlySet<string>): Promise<void>;
};

const both = ['runs', 'events'] as const;

/** The runs in this database. */
export function createRunStore(database: HistoryDatabase, bounds: RunBounds = runBounds): RunStore {
  async function removeAll(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const transaction = (await database.connect()).transaction(both, 'readwrite');
    for (const id of ids) {
      await transaction.objectStore('runs').delete(id);
      await transaction.objectStore('events').delete(eventsOf(id));
    }
    await transaction.done;
  }

  async function list(): Promise<RunRow[]> {
    const db = await database.connect();
    const rows = readAll(await db.getAll('runs'), readRun);
    return rows.toSorted((one, other) => other.startedOn - one.startedOn);
  }

  return {
    list,

    async get(id) {
      const db = await database.connect();
      return readRun(await db.get('runs', id));
    },

    logs: (id) => readLogs(database, id),

    write: (change) => writeChange(database, change),

    async update(id, change) {
      const transaction = (await database.connect()).transaction('runs', 'readwrite');
      const row = readRun(await transaction.store.get(id));
      if (row !== undefined) await transaction.store.put({ ...row, ...change });
      await transaction.done;
    },

    async remove(id) {
      const transaction = (await database.connect()).transaction(both, 'readwrite');
      const events = transaction.objectStore('events');
      const row: unknown = await transaction.objectStore('runs').get(id);
      const keys = await events.getAllKeys(eventsOf(id));
      const values: unknown[] = await events.getAll(eventsOf(id));
      await transaction.objectStore('runs').delete(id);
      await events.delete(eventsOf(id));
      await transaction.done;
      return { row, events: keys.map((key, index) => [key, values[index]] as const) };
    },

    async restore({ row, events }) {
      if (row === undefined) return;
      const transaction = (await database.connect()).transaction(both, 'readwrite');
      await transaction.objectStore('runs').put(row);
      for (const [key, value] of events) await transaction.objectStore('events').put(value, key);
      await transaction.done;
    },

    async clear(kept) {
      const rows = await list();
      await removeAll(rows.map(({ id }) => id).filter((id) => !kept.has(id)));
    },

    async prune(kept) {
      const rows = await list();
      const isSafe = ({ id, pinned }: RunRow): boolean => pinned || kept.has(id);
      let count = rows.length;
      let size = rows.reduce((sum, row) => sum + sizeOf(row), 0);
      const old: string[] = [];
      for (const row of rows.toReversed()) {
        if (count <= bounds.runs && size <= bounds.size) break;
        if (isSafe(row)) continue;
        old.push(row.id);
        count -= 1;
        size -= sizeOf(row);
      }
      await removeAll(old);
    },
  };
}

/** Reads the logs of a run, by turn; undefined if an event is missing. */
async function readLogs(database: HistoryDatabase, id: string): Promise<RunEvent[][] | undefined> {
  const transaction = (await database.connect()).transaction('events');
  const keys = await transaction.store.getAllKeys(eventsOf(id));
  const values: unknown[] = await transaction.store.getAll(eventsOf(id));
  const logs: RunEvent[][] = [];
  for (const [index, [, turn, seq]] of keys.entries()) {
    const events = parseEvents(values[index]);
    const log = (logs[turn] ??= []);
    if (events === undefined || log.length !== seq || logs.length !== turn + 1) return undefined;
    log.push(...events);
  }
  return logs.includes(undefined as never) ? undefined : logs;
}

async function writeChange(database: HistoryDatabase, { row, batches, replaced }: RunChange): Promise<void> {
  const db = database.connection ?? (await database.connect());
  const transaction = db.transaction(both, 'readwrite', { durability: 'relaxed' });
  const events = transaction.objectStore('events');
  const requests: Promise<unknown>[] = [];
  if (replaced === 'all') requests.push(events.delete(eventsOf(row.id)));
  else for (const turn of replaced) requests.push(events.delete(eventsOf(row.id, turn)));
  for (const { turn, seq, json } of batches) requests.push(events.put(json, [row.id, turn, seq]));
  requests.push(transaction.objectStore('runs').put(row));
  // without this, a browser that closes the page drops the transaction
  transaction.commit();
  await Promise.all([...requests, transaction.done]);
}

function sizeOf({ size, source }: RunRow): number {
  return size + ('script' in source ? source.script.length : 0);
}

function parseEvents(value: unknown): RunEvent[] | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const events: unknown = JSON.parse(value);
    return Array.isArray(events) ? (events as RunEvent[]) : undefined;
  } catch {
    return undefined;
  }
}
