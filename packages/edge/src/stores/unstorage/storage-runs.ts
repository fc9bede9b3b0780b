import { checkNames } from '@cueline/core/server';
import { followList, type ListSlice } from '../follow-list.ts';
import {
  MAX_EXPIRY_MS,
  type EventBatch,
  type NewRun,
  type RunLogStore,
  type RunMessage,
  type StoredRun,
} from '../run-log-store.ts';
import { createItemAccess, itemKey, type ItemStorage } from './item-access.ts';
import { queueOf } from './keyed-queue.ts';
import { createMessages } from './messages.ts';
import { atMostEvery, sweep, type Expiring } from './sweep.ts';

/** The options of {@link createStorageRuns}. */
export type StorageRunsOptions = {
  /**
   * How often to look for new events, in milliseconds; up to eight times as long while there are none. Default 250.
   * If it is more than a second, messages between instances wait as long: a command takes longer, and so does
   * noticing a crash.
   */
  pollMs?: number;
  /** The clock, in ms since 1970. Default `Date.now`. */
  now?: () => number;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof StorageRunsOptions, true> = { now: true, pollMs: true };

type KeptRun = Expiring & Pick<NewRun, 'replayMs'> & StoredRun;
type Name = Expiring & { runId: string };

const RUNS = 'cueline:runs:';
const NAMES = 'cueline:names:';
const SWEEP_MS = 60_000;
/** How long to wait between two looks while nothing is new, as a multiple of `pollMs`. */
const IDLE_POLLS = 8;
/** The same for messages, whose sender waits for a reply, in milliseconds. */
const IDLE_MESSAGES_MS = 1_000;

/**
 * Keeps runs in a storage of `unstorage`: a folder, a key-value store or a database. Readers look for new events every
 * `pollMs`, and events are written about twice as often.
 *
 * No driver has transactions, and so neither has this store. Instances that share a storage should know that
 * - two starts with the same key, at the same moment in two instances, may both begin. In one process only one does.
 * - only one instance may write a run at a time, as a route does. If an instance was wrongly assumed to have crashed,
 *   two
 *   instances may overwrite each other's events.
 * - messages that two instances send about a run at the same moment are read in the order of their clocks, which also
 *   decide when something expires. The clocks should be right to about a second.
 * - a driver that shows writes to others with a delay (Cloudflare KV: up to a minute) is for one instance only:
 *   others would
 *   consider it gone, and end its runs.
 * @throws CuelineError `invalid_options` for an unknown option
 *
 * @example
 * const store = createStorageRuns(createStorage({ driver: fsDriver({ base: './runs' }) }));
 */
export function createStorageRuns(storage: ItemStorage, options: StorageRunsOptions = {}): RunLogStore {
  checkNames('createStorageRuns', options, Object.keys(optionNames), 'invalid_options');
  const kept = new KeptRuns(storage, options);
  return {
    delayMs: kept.messagesMs,
    async create(run) {
      kept.tidyUp();
      const { subject, key } = run;
      if (key !== undefined) {
        const name = await kept.keyOfName('key', subject, key);
        return kept.queue(name, () => kept.beginWithKey(run, name));
      }
      await kept.begin(run);
      return 'created';
    },
    async forget(runId) {
      await kept.forget(await kept.keyOfRun(runId));
    },
    async find(which) {
      kept.tidyUp();
      const { subject } = which;
      return kept.lookUp(
        await ('key' in which
          ? kept.keyOfName('key', subject, which.key)
          : kept.keyOfName('chat', subject, which.chat)),
      );
    },
    async append(runId, events) {
      const run = await kept.keyOfRun(runId);
      return kept.queue(run, () => kept.append(run, runId, events));
    },
    read: (runId, afterSeq, signal) =>
      kept.poll<EventBatch>(runId, signal, (run) => {
        let position = 0;
        return async () => {
          const piece = await kept.readPiece(run, position);
          if (piece === undefined) return { items: [], over: false, more: false };
          position += piece.items.length;
          const first = Math.max(piece.first, afterSeq + 1);
          const rest = piece.items.slice(first - piece.first);
          const batches = rest.length === 0 ? [] : [{ first, items: rest, ended: piece.ended }];
          return { items: batches, over: piece.ended, more: true };
        };
      }),
    async get(runId) {
      kept.tidyUp();
      const run = await kept.get(await kept.keyOfRun(runId));
      return run && { subject: run.subject, endSeq: run.endSeq };
    },
    async send(runId, message) {
      const run = await kept.keyOfRun(runId);
      if ((await kept.get(run)) !== undefined) await kept.messages.send(run, message);
    },
    messages: (runId, signal) =>
      kept.poll<RunMessage>(
        runId,
        signal,
        (run) => {
          const listen = kept.messages.listen(run);
          return async () => ({ items: await listen(), over: false, more: false });
        },
        kept.messagesMs,
      ),
  };
}

function pieceKey(run: string, seq: number): string {
  return `${run}:events:${seq}`;
}

/** The items of a storage that keep runs, their names and their messages. */
class KeptRuns {
  readonly #pollMs: NonNullable<StorageRunsOptions['pollMs']>;
  readonly #now: NonNullable<StorageRunsOptions['now']>;
  /** The longest time between two looks for messages, in milliseconds. */
  readonly messagesMs: number;
  readonly #items;
  readonly queue;
  readonly messages;
  /** How far this instance has seen each run written, and when its next part may be written. */
  readonly #written = new Map<string, { length: number; next: number }>();
  /**
   * The parts whose writing got no answer. It may still happen later, so it is repeated with the same events: a
   * shorter part that overwrites a longer one would leave a gap.
   */
  readonly #unanswered = new Map<string, EventBatch>();
  readonly tidyUp;
  readonly keyOfRun = async (runId: string): Promise<string> => `${RUNS}${await itemKey(runId)}`;
  readonly keyOfName = async (...name: string[]): Promise<string> => `${NAMES}${await itemKey(...name)}`;

  constructor(storage: ItemStorage, { pollMs = 250, now = Date.now }: StorageRunsOptions = {}) {
    this.#pollMs = pollMs;
    this.#now = now;
    this.messagesMs = Math.min(pollMs * IDLE_POLLS, Math.max(pollMs, IDLE_MESSAGES_MS));
    this.#items = createItemAccess(storage);
    this.queue = queueOf(storage);
    this.messages = createMessages(this.#items, this.queue);
    this.tidyUp = atMostEvery(SWEEP_MS, () => sweep(this.#items, RUNS, NAMES, this.#now));
  }

  async get(run: string): Promise<KeptRun | undefined> {
    const kept = await this.#items.read<KeptRun>(`${run}:run`);
    return kept !== undefined && this.#now() < kept.expiresAt ? kept : undefined;
  }

  async lookUp(name: string): Promise<string | undefined> {
    const known = await this.#items.read<Name>(name);
    return known !== undefined && (await this.get(await this.keyOfRun(known.runId))) !== undefined
      ? known.runId
      : undefined;
  }

  /** Returns when the run expires. */
  async begin({ runId, subject, chat, ...times }: NewRun): Promise<number> {
    // JSON has no infinite time
    const replayMs = Math.min(times.replayMs, MAX_EXPIRY_MS);
    const expiresAt = this.#now() + Math.min(times.runMs, MAX_EXPIRY_MS) + replayMs;
    await this.#items.write(`${await this.keyOfRun(runId)}:run`, {
      subject,
      replayMs,
      expiresAt,
    } satisfies KeptRun);
    if (chat !== undefined) {
      const name = await this.keyOfName('chat', subject, chat);
      await this.#items.write(name, { runId, expiresAt } satisfies Name);
    }
    return expiresAt;
  }

  async beginWithKey(run: NewRun, name: string): Promise<'created' | { runId: string }> {
    const known = await this.lookUp(name);
    if (known !== undefined) return { runId: known };
    const expiresAt = await this.begin(run);
    await this.#items.write(name, { runId: run.runId, expiresAt } satisfies Name);
    // another instance may have done the same
    const winner = (await this.#items.read<Name>(name))?.runId ?? run.runId;
    if (winner === run.runId) return 'created';
    await this.forget(await this.keyOfRun(run.runId));
    return { runId: winner };
  }

  /** Removes a run without events. Its names count only while it exists. */
  async forget(run: string): Promise<void> {
    await this.#items.remove(`${run}:run`);
  }

  /** The events of a part, one per line: JSON has no line ends of its own. */
  async readPiece(run: string, first: number): Promise<EventBatch | undefined> {
    const text = await this.#items.readText(pieceKey(run, first));
    if (text === undefined) return undefined;
    const events = text.split('\n');
    const last = JSON.parse(events.at(-1)!) as { type: string };
    return { first, items: events, ended: last.type === 'run-end' };
  }

  async append(run: string, runId: string, events: EventBatch): Promise<'over' | void> {
    const kept = await this.get(run);
    if (kept === undefined) {
      this.#written.delete(run);
      this.#unanswered.delete(run);
      throw new Error(`Run ${runId} does not exist, or it is no longer stored.`);
    }
    let { length, next } = this.#written.get(run) ?? { length: 0, next: 0 };
    for (;;) {
      const piece = await this.readPiece(run, length);
      if (piece === undefined) break;
      if (piece.ended) {
        this.#written.delete(run);
        this.#unanswered.delete(run);
        return 'over';
      }
      length += piece.items.length;
    }
    const { first, ended } = events;
    if (first > length)
      throw new Error(`Event ${first} of run ${runId} cannot be stored: event ${length} comes next.`);
    if (first + events.items.length <= length) return;
    let isOver = false;
    while (first + events.items.length > length) {
      // events that arrive meanwhile are the next part
      if (!ended) await pause(Math.max(0, next - performance.now()));
      const begun = this.#unanswered.get(run);
      const part: EventBatch =
        begun?.first === length
          ? { ...begun }
          : { first: length, items: events.items.slice(length - first), ended };
      this.#unanswered.set(run, part);
      await this.#items.writeText(pieceKey(run, length), part.items.join('\n'));
      if (this.#unanswered.get(run) !== part)
        throw new Error(`The events of run ${runId} took so long that another attempt has stored them.`);
      this.#unanswered.delete(run);
      length += part.items.length;
      isOver = part.ended;
    }
    if (!isOver) {
      this.#written.set(run, { length, next: performance.now() + this.#pollMs / 2 });
      return;
    }
    this.#written.delete(run);
    const { subject, replayMs } = kept;
    const expiresAt = this.#now() + replayMs;
    await this.#items.write(`${run}:run`, {
      subject,
      replayMs,
      expiresAt,
      endSeq: length - 1,
    } satisfies KeptRun);
  }

  /** Looks at intervals, as long as the run is kept. */
  poll<Item>(
    runId: string,
    signal: AbortSignal,
    start: (run: string) => () => Promise<ListSlice<Item>>,
    idleMs: number = this.#pollMs * IDLE_POLLS,
  ): AsyncIterable<Item> {
    return followList(() => {
      let look: (() => Promise<ListSlice<Item>>) | undefined;
      let expiresAt = -Infinity;
      let delay = this.#pollMs;
      let timer: ReturnType<typeof setTimeout> | undefined;
      return {
        leave: () => clearTimeout(timer),
        next: async () => {
          const run = await this.keyOfRun(runId);
          if (this.#now() >= expiresAt) {
            const kept = await this.get(run);
            if (kept === undefined) return { items: [], over: true, more: false };
            ({ expiresAt } = kept);
          }
          const piece = await (look ??= start(run))();
          if (piece.items.length > 0) delay = this.#pollMs;
          return piece;
        },
        pause: async () => {
          await new Promise((resolve) => (timer = setTimeout(resolve, delay)));
          delay = Math.min(delay * 1.5, idleMs);
        },
      };
    }, signal);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
