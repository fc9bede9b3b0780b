import type { RunEvent } from '@cueline/core';
import { newId } from '../state/new-id.ts';
import { eventsOf, type EventKey, type HistoryDatabase } from './database.ts';
import { asStoredJson, createTextReader, type StoredJson } from './repeated-texts.ts';
import { readRun, type RunRow } from './rows.ts';

/** The limits of the stored runs: their number, and the characters of all their logs together. */
export type RunBounds = { readonly runs: number; readonly size: number };

/** 200 runs, and 200 MB. */
const runBounds: RunBounds = { runs: 200, size: 200_000_000 };

/** How far ahead of the clock a run may be without counting as one of the oldest, in milliseconds. */
const MAX_AHEAD_MS = 60_000;

export type EventBatch = { readonly turn: number; readonly seq: number; readonly stored: StoredJson };

export type RunChange = {
  readonly row: RunRow;
  readonly batches: readonly EventBatch[];
  /** The turns whose stored events are replaced; `all` for every turn. */
  readonly replaced: readonly number[] | 'all';
};

/** A removed run, with the rows that restore it. */
export type RemovedRun = {
  readonly id: string;
  readonly row: unknown;
  readonly events: readonly (readonly [EventKey, unknown])[];
};

/** The runs in the database. Every method rejects if the database cannot be used. */
export type RunStore = {
  /** All readable runs, the last started first. */
  list(): Promise<RunRow[]>;
  /** The same, with the ids of the runs that cannot be read. */
  listAll(): Promise<{ rows: RunRow[]; unreadable: string[] }>;
  get(id: string): Promise<RunRow | undefined>;
  /** The logs of a run, by turn; undefined if a part of them cannot be read. They are not checked yet. */
  logs(id: string): Promise<readonly (readonly RunEvent[])[] | undefined>;
  /**
   * Writes a change. If the database is open, the write has started when this returns, so that it survives a
   * closing page.
   */
  write(change: RunChange): Promise<void>;
  /**
   * Makes `writer` the last writer of a run and returns the stored row, unless another page has written it since
   * `row` was read: then returns `taken`. Stores `row` and returns `missing` if the run is not stored. All in one
   * transaction, so only one of several tabs succeeds.
   */
  claim(row: RunRow, writer: string): Promise<RunRow | 'missing' | 'taken'>;
  update(id: string, change: Partial<Pick<RunRow, 'title' | 'pinned'>>): Promise<void>;
  remove(id: string): Promise<RemovedRun>;
  /**
   * Restores a removed run. If another tab has stored it again, the stored run stays if it continues the removed one;
   * otherwise the removed one is restored as a copy.
   */
  restore(removed: RemovedRun): Promise<void>;
  /** Removes all runs but these. */
  clear(kept: ReadonlySet<string>): Promise<void>;
  /** Removes the runs beyond the bounds that were written longest ago, except pinned ones and these. */
  prune(kept: ReadonlySet<string>): Promise<void>;
};

const both = ['runs', 'events'] as const;

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

  async function listAll(): Promise<{ rows: RunRow[]; unreadable: string[] }> {
    const transaction = (await database.connect()).transaction('runs');
    const [ids, values] = await Promise.all([transaction.store.getAllKeys(), transaction.store.getAll()]);
    const rows: RunRow[] = [];
    const unreadable: string[] = [];
    for (const [index, id] of ids.entries()) {
      const row = readRun(values[index]);
      if (row === undefined) unreadable.push(id);
      else rows.push(row);
    }
    return { rows: rows.toSorted((one, other) => other.startedOn - one.startedOn), unreadable };
  }

  async function list(): Promise<RunRow[]> {
    return (await listAll()).rows;
  }

  return {
    list,

    listAll,

    async get(id) {
      const db = await database.connect();
      return readRun(await db.get('runs', id));
    },

    async logs(id) {
      return readLogs((await database.connect()).transaction('events').store, id);
    },

    write: (change) => writeChange(database, change),

    async claim(row, writer) {
      const transaction = (await database.connect()).transaction('runs', 'readwrite');
      const value: unknown = await transaction.store.get(row.id);
      const stored = readRun(value);
      const isMissing = value === undefined;
      // a row that cannot be read is from another version of the page
      const isTaken = !isMissing && stored?.writer !== row.writer && stored?.writer !== writer;
      if (!isTaken) await transaction.store.put({ ...(stored ?? row), writer });
      await transaction.done;
      return isMissing ? 'missing' : isTaken ? 'taken' : stored!;
    },

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
      return { id, row, events: keys.map((key, index) => [key, values[index]] as const) };
    },

    async restore({ id, row, events }) {
      if (row === undefined) return;
      const transaction = (await database.connect()).transaction(both, 'readwrite');
      const [rows, batches] = [transaction.objectStore('runs'), transaction.objectStore('events')];
      const isStored = (await rows.getKey(id)) !== undefined;
      const stored = isStored ? await readLogs(batches, id) : undefined;
      if (!isStored || !containsLogs(stored, toLogs(events))) {
        const copyId = isStored ? newId() : id;
        await rows.put(isStored ? copyOf(row, copyId) : row);
        for (const [[, turn, seq], value] of events) await batches.put(value, [copyId, turn, seq]);
      }
      await transaction.done;
    },

    async clear(kept) {
      const rows = await list();
      await removeAll(rows.map(({ id }) => id).filter((id) => !kept.has(id)));
    },

    async prune(kept) {
      const rows = await list();
      const latest = Date.now() + MAX_AHEAD_MS;
      // runs from a time when the clock was ahead must not outlive those since then
      const isCurrent = ({ updatedOn }: RunRow): number => Number(updatedOn <= latest);
      const isSafe = ({ id, pinned }: RunRow): boolean => pinned || kept.has(id);
      let count = rows.length;
      let size = rows.reduce((sum, row) => sum + sizeOf(row), 0);
      const old: string[] = [];
      for (const row of rows.toSorted(
        (one, other) => isCurrent(one) - isCurrent(other) || one.updatedOn - other.updatedOn,
      )) {
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

/** What reading the logs needs of the table of events. */
type EventReader = {
  getAllKeys(range: IDBKeyRange): Promise<EventKey[]>;
  getAll(range: IDBKeyRange): Promise<unknown[]>;
};

/** Reads the logs of a run, by turn; undefined if an event is missing. */
async function readLogs(store: EventReader, id: string): Promise<RunEvent[][] | undefined> {
  const keys = await store.getAllKeys(eventsOf(id));
  const values = await store.getAll(eventsOf(id));
  return toLogs(keys.map((key, index) => [key, values[index]]));
}

/** The logs of these batches, by turn; undefined if an event is missing. */
function toLogs(batches: RemovedRun['events']): RunEvent[][] | undefined {
  const logs: RunEvent[][] = [];
  const stored = batches.map(([, value]) => asStoredJson(value));
  const read = createTextReader(stored.filter((one) => one !== undefined));
  for (const [index, [[, turn, seq]]] of batches.entries()) {
    const events = readEvents(read, stored[index]);
    const log = (logs[turn] ??= []);
    if (events === undefined || log.length !== seq || logs.length !== turn + 1) return undefined;
    for (const event of events) log.push(event);
  }
  return logs.includes(undefined as never) ? undefined : logs;
}

/** True if each turn of `older` is a turn of `newer`, or the beginning of one. */
function containsLogs(newer: RunEvent[][] | undefined, older: RunEvent[][] | undefined): boolean {
  if (newer === undefined || older === undefined) return false;
  return older.every((log, turn) => containsLog(newer[turn] ?? [], log));
}

function containsLog(newer: readonly RunEvent[], older: readonly RunEvent[]): boolean {
  const kept = older.findIndex((event, index) => JSON.stringify(event) !== JSON.stringify(newer[index]));
  if (kept === -1) return true;
  // an interrupted turn continues without the events of the step that was in progress
  const isContinued = newer[kept]?.type === 'run-resume';
  const isUnfinished = ({ type }: RunEvent): boolean =>
    type !== 'step-end' && type !== 'run-resume' && type !== 'run-end';
  return isContinued && older.slice(kept).every(isUnfinished);
}

/** The row of a run that is stored beside the one that it was. */
export function copyOf<Row>(row: Row, id: string): Row {
  const read = readRun(row);
  if (read === undefined) return { ...row, id };
  return { ...row, id, title: `${read.title} (copy)`.slice(0, 200), pinned: false };
}

async function writeChange(database: HistoryDatabase, { row, batches, replaced }: RunChange): Promise<void> {
  const db = database.connection ?? (await database.connect());
  const transaction = db.transaction(both, 'readwrite', { durability: 'relaxed' });
  const events = transaction.objectStore('events');
  const requests: Promise<unknown>[] = [];
  if (replaced === 'all') requests.push(events.delete(eventsOf(row.id)));
  else for (const turn of replaced) requests.push(events.delete(eventsOf(row.id, turn)));
  for (const { turn, seq, stored } of batches) requests.push(events.put(stored, [row.id, turn, seq]));
  requests.push(transaction.objectStore('runs').put(row));
  // without this, a browser that closes the page drops the transaction
  transaction.commit();
  await Promise.all([...requests, transaction.done]);
}

function sizeOf({ size, source }: RunRow): number {
  return size + ('script' in source ? source.script.length : 0);
}

function readEvents(
  read: (stored: StoredJson) => unknown,
  stored: StoredJson | undefined,
): RunEvent[] | undefined {
  if (stored === undefined) return undefined;
  try {
    const events = read(stored);
    return Array.isArray(events) ? (events as RunEvent[]) : undefined;
  } catch {
    return undefined;
  }
}
