import { follow, type ListSlice } from '../follow.ts';
import type { EventBatch, NewRun, RunLogStore, RunMessage, StoredRun } from '../run-log-store.ts';
import { createItemAccess, keyOf, type ItemStorage } from './items.ts';
import { createMessages } from './messages.ts';
import { atMostEvery, sweep, type Expiring } from './sweep.ts';
import { turnsOf } from './turns.ts';

export type StorageRunsOptions = {
  /**
   * How often to look for new events, in milliseconds; up to eight times as long while there are none. Default 250.
   */
  pollMs?: number;
  /** The clock, in ms since 1970. Default `Date.now`. */
  now?: () => number;
};

type KeptRun = Expiring & Pick<NewRun, 'replayMs'> & StoredRun;
type Name = Expiring & { runId: string };

const RUNS = 'cueline:runs:';
const NAMES = 'cueline:names:';
const SWEEP_MS = 60_000;

/**
 * Keeps runs in a storage of `unstorage`: a folder, a key-value store or a database. Readers look for new events
 * every
 * `pollMs`, and events are written about twice as often.
 *
 * No driver has transactions, and so neither has this store. Instances that share a storage should know that
 * - two starts with the same key, at the same moment in two instances, may both begin. In one process only one does.
 * - only one instance may write a run at a time, as a route does. If an instance was wrongly assumed to have crashed, two
 *   instances may overwrite each other's events.
 * - messages that two instances send about a run at the same moment are read in the order of their clocks, which also
 *   decide when something expires. The clocks should be right to about a second.
 * - a driver that shows writes to others with a delay (Cloudflare KV: up to a minute) delays everything by that.
 *
 * @example
 * const store = createStorageRuns(createStorage({ driver: fsDriver({ base: './runs' }) }));
 */
export function createStorageRuns(
  storage: ItemStorage,
  { pollMs = 250, now = Date.now }: StorageRunsOptions = {},
): RunLogStore {
  const items = createItemAccess(storage);
  const inTurn = turnsOf(storage);
  const messages = createMessages(items, inTurn);
  /** How far this instance has seen each run written, and when its next part may be written. */
  const written = new Map<string, { length: number; next: number }>();
  const tidyUp = atMostEvery(SWEEP_MS, () => sweep(items, RUNS, NAMES, now));

  const keyOfRun = async (runId: string): Promise<string> => `${RUNS}${await keyOf(runId)}`;
  const keyOfName = async (...name: string[]): Promise<string> => `${NAMES}${await keyOf(...name)}`;
  const pieceKey = (run: string, seq: number): string => `${run}:events:${seq}`;

  async function get(run: string): Promise<KeptRun | undefined> {
    const kept = await items.read<KeptRun>(`${run}:run`);
    return kept !== undefined && now() < kept.expiresAt ? kept : undefined;
  }

  async function lookUp(name: string): Promise<string | undefined> {
    const known = await items.read<Name>(name);
    return known !== undefined && (await get(await keyOfRun(known.runId))) !== undefined
      ? known.runId
      : undefined;
  }

  async function begin({ runId, subject, chat, runMs, replayMs }: NewRun): Promise<void> {
    const expiresAt = now() + runMs + replayMs;
    await items.write(`${await keyOfRun(runId)}:run`, { subject, replayMs, expiresAt } satisfies KeptRun);
    if (chat === undefined) return;
    await items.write(await keyOfName('chat', subject, chat), { runId, expiresAt } satisfies Name);
  }

  async function beginWithKey(run: NewRun, name: string): Promise<'created' | { runId: string }> {
    const known = await lookUp(name);
    if (known !== undefined) return { runId: known };
    await begin(run);
    const expiresAt = now() + run.runMs + run.replayMs;
    await items.write(name, { runId: run.runId, expiresAt } satisfies Name);
    // another instance may have done the same
    const winner = (await items.read<Name>(name))?.runId ?? run.runId;
    if (winner === run.runId) return 'created';
    await items.remove(`${await keyOfRun(run.runId)}:run`);
    return { runId: winner };
  }

  /** The events of a part, one per line: JSON has no line ends of its own. */
  async function readPiece(run: string, first: number): Promise<EventBatch | undefined> {
    const text = await items.readText(pieceKey(run, first));
    if (text === undefined) return undefined;
    const events = text.split('\n');
    const last = JSON.parse(events.at(-1)!) as { type: string };
    return { first, items: events, ended: last.type === 'run-end' };
  }

  async function append(run: string, runId: string, events: EventBatch): Promise<'over' | void> {
    const kept = await get(run);
    if (kept === undefined) {
      written.delete(run);
      throw new Error(`Run ${runId} is not known, or no longer.`);
    }
    let { length, next } = written.get(run) ?? { length: 0, next: 0 };
    for (;;) {
      const piece = await readPiece(run, length);
      if (piece === undefined) break;
      if (piece.ended) {
        written.delete(run);
        return 'over';
      }
      length += piece.items.length;
    }
    const { first, ended } = events;
    if (first > length) throw new Error(`Event ${first} of run ${runId} came before ${length}.`);
    const fresh = events.items.slice(length - first);
    if (fresh.length === 0) return;
    // events that arrive meanwhile are the next part
    if (!ended) await pause(Math.max(0, next - performance.now()));
    await items.writeText(pieceKey(run, length), fresh.join('\n'));
    length += fresh.length;
    if (!ended) {
      written.set(run, { length, next: performance.now() + pollMs / 2 });
      return;
    }
    written.delete(run);
    const { subject, replayMs } = kept;
    const expiresAt = now() + replayMs;
    await items.write(`${run}:run`, { subject, replayMs, expiresAt, endSeq: length - 1 } satisfies KeptRun);
  }

  /** Looks at intervals, as long as the run is kept. */
  function poll<Item>(
    runId: string,
    signal: AbortSignal,
    start: (run: string) => () => Promise<ListSlice<Item>>,
  ): AsyncIterable<Item> {
    return follow(() => {
      let look: (() => Promise<ListSlice<Item>>) | undefined;
      let expiresAt = -Infinity;
      let delay = pollMs;
      let timer: ReturnType<typeof setTimeout> | undefined;
      return {
        leave: () => clearTimeout(timer),
        async next() {
          const run = await keyOfRun(runId);
          if (now() >= expiresAt) {
            const kept = await get(run);
            if (kept === undefined) return { items: [], over: true, more: false };
            ({ expiresAt } = kept);
          }
          const piece = await (look ??= start(run))();
          if (piece.items.length > 0) delay = pollMs;
          return piece;
        },
        async pause() {
          await new Promise((resolve) => (timer = setTimeout(resolve, delay)));
          delay = Math.min(delay * 1.5, pollMs * 8);
        },
      };
    }, signal);
  }

  return {
    async create(run) {
      tidyUp();
      const { subject, key } = run;
      if (key !== undefined) {
        const name = await keyOfName('key', subject, key);
        return inTurn(name, () => beginWithKey(run, name));
      }
      await begin(run);
      return 'created';
    },
    async find(which) {
      const { subject } = which;
      return lookUp(
        await ('key' in which
          ? keyOfName('key', subject, which.key)
          : keyOfName('chat', subject, which.chat)),
      );
    },
    async append(runId, events) {
      const run = await keyOfRun(runId);
      return inTurn(run, () => append(run, runId, events));
    },
    read: (runId, afterSeq, signal) =>
      poll<EventBatch>(runId, signal, (run) => {
        let position = 0;
        return async () => {
          const piece = await readPiece(run, position);
          if (piece === undefined) return { items: [], over: false, more: false };
          position += piece.items.length;
          const first = Math.max(piece.first, afterSeq + 1);
          const rest = piece.items.slice(first - piece.first);
          const batches = rest.length === 0 ? [] : [{ first, items: rest, ended: piece.ended }];
          return { items: batches, over: piece.ended, more: true };
        };
      }),
    async get(runId) {
      const run = await get(await keyOfRun(runId));
      return run && { subject: run.subject, endSeq: run.endSeq };
    },
    async tell(runId, message) {
      const run = await keyOfRun(runId);
      if ((await get(run)) !== undefined) await messages.tell(run, message);
    },
    told: (runId, signal) =>
      poll<RunMessage>(runId, signal, (run) => {
        const listen = messages.listen(run);
        return async () => ({ items: await listen(), over: false, more: false });
      }),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
