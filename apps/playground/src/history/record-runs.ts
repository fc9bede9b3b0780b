import type { RunEvent } from '@cueline/core';
import { newId } from '../state/new-id.ts';
import { logOf } from '../state/shown-run.ts';
import { scriptNameOf, type RunSession } from '../state/store.ts';
import { describeSession, isOpenEnded, titleOf } from './describe-run.ts';
import { createTextWriter, lengthOf } from './repeated-texts.ts';
import type { RunLocks } from './run-locks.ts';
import { copyOf, type EventBatch, type RunChange, type RunStore } from './run-store.ts';
import type { RunRow } from './rows.ts';
import { turnStart } from './turn-start.ts';

/** How long events wait so that others are written together with them, in milliseconds. */
const BATCH_MS = 500;
/** The longest logs of one run that are kept, in characters: 16 MB. */
const MOST_SIZE = 16_000_000;

export type RecorderOptions = {
  store: RunStore;
  locks: RunLocks;
  /** True while a session is on screen: it may be continued. */
  isShown: (session: RunSession) => boolean;
  onProblem: (error: unknown) => void;
  /** Called after each write, with the id under which the session is stored. */
  onWritten: (session: RunSession, id: string) => void;
  now?: () => number;
  batch?: number;
};

/** Writes the runs of this tab into the database while they are under way. */
export type Recorder = {
  /** Follows a session from now on; the same session again after a reply. */
  follow(session: RunSession): void;
  /** Marks a session as opened from the database, so that its changes continue the stored run. */
  opened(session: RunSession, row: RunRow): void;
  /** Writes all pending events. */
  flush(): Promise<void>;
  /** Changes facts about a run in the next write. */
  amend(id: string, change: Partial<Pick<RunRow, 'title' | 'pinned'>>): void;
  /** The stored runs that are under way or shown in this tab. */
  ids(): ReadonlySet<string>;
  /** The id under which a session is stored. */
  idOf(session: RunSession): string | undefined;
};

/** Records sessions in this store. */
export function createRecorder(options: RecorderOptions): Recorder {
  const recordings = new Map<string, Recording>();
  const writer = newId();
  return {
    follow(session) {
      if (session.shared) return;
      for (const [id, other] of recordings) {
        if (other.isOver && !options.isShown(other.session)) recordings.delete(id);
      }
      const known = recordings.get(session.id);
      if (known === undefined) recordings.set(session.id, new Recording(options, session, undefined, writer));
      else known.goOn(session);
    },
    opened(session, row) {
      recordings.set(session.id, new Recording(options, session, row, writer));
    },
    async flush() {
      await Promise.all([...recordings.values()].map((recording) => recording.flush()));
    },
    amend(id, change) {
      for (const recording of recordings.values()) {
        if (recording.row.id === id) recording.row = { ...recording.row, ...change };
      }
    },
    idOf: ({ id }) => recordings.get(id)?.row.id,
    ids: () => new Set([...recordings.values()].map(({ row }) => row.id)),
  };
}

/** One session, and how much of it is stored. */
class Recording {
  row: RunRow;
  readonly #options: RecorderOptions;
  /** Names this page as the last writer of the row. */
  readonly #writer: string;
  session: RunSession;
  /** The turn that is written next, how many of its events are written, and the `seq` of the next event. */
  #turn = 0;
  #written = 0;
  #nextSeq = 0;
  /** Turns whose stored events are outdated. */
  #replaced: Set<number> | 'all' = new Set();
  readonly #sizes: number[] = [];
  readonly #texts = createTextWriter();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #release: (() => void) | undefined;
  /** Settles once the row is claimed, or could not be; undefined while the row is not being claimed. */
  #claim: Promise<void> | undefined;
  #claimed = false;
  /** True once there is something to write: an opened session is stored already. */
  #isDirty = false;

  constructor(options: RecorderOptions, session: RunSession, row: RunRow | undefined, writer: string) {
    const { now = Date.now } = options;
    this.#options = options;
    this.#writer = writer;
    this.session = session;
    const scriptId = session.openScript?.id;
    const scriptName = scriptNameOf(session)?.slice(0, 200);
    this.row = row ?? {
      id: session.id,
      title: titleOf(session.source, scriptName),
      pinned: false,
      source: session.source as RunRow['source'],
      ...(scriptId === undefined || scriptName === undefined ? {} : { scriptId, scriptName }),
      model: { name: session.model.name.slice(0, 200), detail: session.model.detail.slice(0, 200) },
      simulated: session.simulated,
      startedOn: now(),
      updatedOn: now(),
      ...describeSession(session),
      size: 0,
      hasLog: true,
      ...(session.parent === undefined ? {} : { parent: session.parent }),
      writer: '',
    };
    session.run.listen(this.#onEvent);
    if (row === undefined) {
      // events from before the subscription are written, too
      this.#nextSeq = session.run.log().length;
      this.#claimed = true;
      if (isOpenEnded(session.run.log())) this.#hold();
      this.#writeStart();
    } else {
      this.#turn = session.earlier.length;
      this.#written = this.#nextSeq = session.run.log().length;
      // the end of an interrupted run is not stored yet, and the log does not show whether an end is stored
      this.#replaced = 'all';
    }
  }

  /** True once the session has ended and is completely written. */
  get isOver(): boolean {
    return !this.#isDirty && this.#timer === undefined && this.#release === undefined;
  }

  /** Continues with the session after a new turn, or after a new start of its last turn. */
  goOn(session: RunSession): void {
    if (session === this.session) return;
    this.session = session;
    this.#nextSeq = 0;
    this.#claimed = false;
    this.#claim = undefined;
    const { model, simulated } = session;
    this.row = { ...this.row, model, simulated };
    this.#hold();
    this.#writeStart();
  }

  /** Writes the turn before its first event: a reload must not lose what the user has sent. */
  #writeStart(): void {
    this.#isDirty = true;
    // the run starts once the session is shown
    queueMicrotask(() => void this.flush());
  }

  #hold(): void {
    this.#release ??= this.#options.locks.hold(this.row.id);
  }

  readonly #onEvent = (event: RunEvent): void => {
    const turn = this.session.earlier.length;
    const isAgain = event.seq === 0 && this.#turn === turn && this.#written > 0;
    // a retry keeps a part of the log and appends to it
    if (this.#replaced !== 'all' && (isAgain || event.seq !== this.#nextSeq)) this.#replaced.add(turn);
    this.#nextSeq = event.seq + 1;
    this.#isDirty = true;
    if (event.type === 'run-end') {
      this.#release?.();
      this.#release = undefined;
      void this.flush();
    } else this.#schedule();
  };

  #schedule(): void {
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.batch ?? BATCH_MS);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isDirty) return;
    if (!this.#claimed) await (this.#claim ??= this.#claimRow());
    if (!this.#isDirty || !this.#claimed) return;
    this.#isDirty = false;
    const { store, now = Date.now, onWritten, onProblem } = this.#options;
    const session = this.session;
    const { batches, replaced } = this.#takeEvents();
    const size = this.#sizes.reduce((sum, one) => sum + one, 0);
    const hasLog = this.row.hasLog && size <= MOST_SIZE;
    const figures = describeSession(session);
    this.row = {
      ...this.row,
      ...figures,
      updatedOn: now(),
      size: hasLog ? size : 0,
      hasLog,
      writer: this.#writer,
    };
    try {
      await store.write({
        row: this.row,
        batches: hasLog ? batches : [],
        replaced: hasLog ? replaced : 'all',
      });
      onWritten(session, this.row.id);
    } catch (error) {
      // the next write stores everything
      this.#replaced = 'all';
      this.#isDirty = true;
      onProblem(error);
    }
  }

  /** Takes the events that are not written yet, and the turns that they replace. */
  #takeEvents(): Pick<RunChange, 'batches' | 'replaced'> {
    const session = this.session;
    const last = session.earlier.length;
    const marked = this.#replaced;
    const first = marked === 'all' ? 0 : Math.min(this.#turn, ...marked);
    const batches: EventBatch[] = [];
    const replaced: number[] = [];
    let isWhole = false;
    for (let turn = first; turn <= last; turn += 1) {
      const log = logOf(session, turn);
      // turns after one that is replaced may refer to its texts
      isWhole ||= marked === 'all' || marked.has(turn) || turn !== this.#turn || log.length < this.#written;
      const from = isWhole ? 0 : this.#written;
      if (isWhole) replaced.push(turn);
      if (from === 0) {
        this.#sizes[turn] = 0;
        this.#texts.forgetFrom(turn);
      }
      // the first events replace it
      const events = log.length === 0 ? turnStart(session) : log.slice(from);
      if (events.length === 0) continue;
      const stored = this.#texts.write(events, turn);
      this.#sizes[turn] = (this.#sizes[turn] ?? 0) + lengthOf(stored);
      batches.push({ turn, seq: from, stored });
    }
    this.#turn = last;
    this.#written = logOf(session, last).length;
    this.#replaced = new Set();
    return { batches, replaced: marked === 'all' ? 'all' : replaced };
  }

  /** If another tab has continued this run, the events of this tab become a separate run. */
  async #claimRow(): Promise<void> {
    const { store, locks, onProblem } = this.#options;
    try {
      const claimed = await store.claim(this.row, this.#writer);
      if (typeof claimed !== 'string') {
        this.row = { ...this.row, title: claimed.title, pinned: claimed.pinned };
      } else {
        this.#replaced = 'all';
        if (claimed === 'taken') {
          this.row = copyOf(this.row, newId());
          if (this.#release !== undefined) {
            this.#release();
            this.#release = locks.hold(this.row.id);
          }
        }
      }
      this.#claimed = true;
    } catch (error) {
      // the next write claims it again
      onProblem(error);
    }
    this.#claim = undefined;
  }
}
