import { isInProgress, type RunEvent } from '@cueline/core';
import { newId } from '../state/new-id.ts';
import { scriptNameOf, type RunSession } from '../state/store.ts';
import { describeSession, isOpenEnded, titleOf } from './describe-run.ts';
import { EventCursor } from './event-cursor.ts';
import type { RunRow } from './rows.ts';
import type { RunLocks } from './run-locks.ts';
import { copyOf, type RunStore } from './run-store.ts';

/** How long events wait so that others are written together with them, in milliseconds. */
const BATCH_MS = 500;
/** The longest logs of one run that are kept, in characters: 16 MB. */
const MAX_SIZE = 16_000_000;

export type RunSaverOptions = {
  store: RunStore;
  locks: RunLocks;
  /** True while a session is on screen. */
  isShown: (session: RunSession) => boolean;
  /** True while a session may be shown again and continued. */
  isKept: (session: RunSession) => boolean;
  onProblem: (error: unknown) => void;
  /** Called after each write, with the id under which the session is stored. */
  onWritten: (session: RunSession, id: string) => void;
  now?: () => number;
  batch?: number;
};

/** Writes the runs of this tab into the database while they are in progress. */
export type RunSaver = {
  /** Follows a session from now on; the same session again after a reply. */
  follow(session: RunSession): void;
  /**
   * Marks a session as opened from the database, so that its changes continue the stored run. Returns it with the id
   * that this tab has for the run: a session of this tab with its id may be stored as another run.
   */
  opened(session: RunSession, row: RunRow): RunSession;
  /** Writes all pending events. */
  flush(): Promise<void>;
  /** Changes facts about a run in the next write. */
  amend(id: string, change: Partial<Pick<RunRow, 'title' | 'pinned'>>): void;
  /** The stored runs that are in progress or shown in this tab. */
  ids(): ReadonlySet<string>;
  /** The id under which a session is stored. */
  idOf(session: RunSession): string | undefined;
  /** The session of this tab that is stored under this id and not yet completely written, if there is one. */
  inProgress(id: string): RunSession | undefined;
};

/** Records sessions in this store. */
export function createRunSaver(options: RunSaverOptions): RunSaver {
  const recordings = new Map<string, Recording>();
  const writer = newId();
  const idOf = ({ id }: { readonly id: string }): string | undefined => recordings.get(id)?.row.id;
  const sessionIdOf = (id: string): string | undefined =>
    [...recordings].find(([, { row }]) => row.id === id)?.[0];
  /** The row of a session that is not stored yet. */
  const newRow = (session: RunSession): RunRow => {
    const { parent } = session;
    return rowOf(session, parent && { ...parent, id: idOf(parent) ?? parent.id }, options.now);
  };
  return {
    follow(session) {
      if (session.shared) return;
      for (const [id, other] of recordings) {
        if (!other.isOver || options.isKept(other.session)) continue;
        other.close();
        recordings.delete(id);
      }
      const known = recordings.get(session.id);
      if (known !== undefined) return known.goOn(session);
      recordings.set(session.id, new Recording(options, session, newRow(session), writer, 'new'));
    },
    opened(stored, row) {
      const { parent } = stored;
      const known = sessionIdOf(row.id);
      if (known !== undefined) recordings.get(known)?.close();
      const session: RunSession = {
        ...stored,
        id: known ?? (recordings.has(stored.id) ? newId() : stored.id),
        ...(parent === undefined ? {} : { parent: { ...parent, id: sessionIdOf(parent.id) ?? parent.id } }),
      };
      recordings.set(session.id, new Recording(options, session, row, writer, 'stored'));
      return session;
    },
    async flush() {
      await Promise.all([...recordings.values()].map((recording) => recording.flush()));
    },
    amend(id, change) {
      for (const recording of recordings.values()) {
        if (recording.row.id === id) recording.row = { ...recording.row, ...change };
      }
    },
    idOf,
    ids: () =>
      new Set(
        [...recordings.values()].flatMap((one) =>
          one.isOver && !options.isShown(one.session) ? [] : [one.row.id],
        ),
      ),
    inProgress: (id) => [...recordings.values()].find((one) => one.row.id === id && !one.isOver)?.session,
  };
}

/** The model of a session as a row has it: a row with longer texts is not read. */
function storedModel({ model: { name, detail } }: RunSession): RunRow['model'] {
  return { name: name.slice(0, 200), detail: detail.slice(0, 200) };
}

function rowOf(session: RunSession, parent: RunRow['parent'], now: () => number = Date.now): RunRow {
  const scriptId = session.openScript?.id;
  const scriptName = scriptNameOf(session)?.slice(0, 200);
  return {
    id: session.id,
    title: titleOf(session.source, scriptName),
    pinned: false,
    source: session.source as RunRow['source'],
    ...(scriptId === undefined || scriptName === undefined ? {} : { scriptId, scriptName }),
    model: storedModel(session),
    simulated: session.simulated,
    startedOn: now(),
    updatedOn: now(),
    ...describeSession(session),
    size: 0,
    hasLog: true,
    ...(parent === undefined ? {} : { parent }),
    writer: '',
  };
}

/** One session, and how much of it is stored. */
class Recording {
  row: RunRow;
  readonly #options: RunSaverOptions;
  /** Names this page as the last writer of the row. */
  readonly #writer: string;
  session: RunSession;
  readonly #unlisten: () => void;
  readonly #cursor: EventCursor;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #release: (() => void) | undefined;
  /** Settles once the row is claimed, or could not be; undefined while the row is not being claimed. */
  #claim: Promise<void> | undefined;
  #claimed = false;
  /** True once there is something to write: an opened session is stored already. */
  #isDirty = false;

  constructor(
    options: RunSaverOptions,
    session: RunSession,
    row: RunRow,
    writer: string,
    kind: 'new' | 'stored',
  ) {
    this.#options = options;
    this.#writer = writer;
    this.session = session;
    this.row = row;
    this.#unlisten = session.run.listen(this.#onEvent);
    this.#cursor = new EventCursor(session.run.log());
    if (kind === 'new') {
      this.#claimed = true;
      if (isOpenEnded(session.run.log())) this.#hold();
      this.#writeStart();
    } else {
      // the end of an interrupted run is not stored yet, and the log does not show whether an end is stored
      this.#cursor.takeAll();
    }
  }

  /** True once the session has ended and is completely written. */
  get isOver(): boolean {
    return !this.#isDirty && this.#timer === undefined && this.#release === undefined;
  }

  /** Stops writing the session's events. */
  close(): void {
    this.#unlisten();
    this.#release?.();
    this.#release = undefined;
  }

  /** Continues with the session after a new turn, or after a new start of its last turn. */
  goOn(session: RunSession): void {
    if (session === this.session) return;
    this.session = session;
    this.#cursor.expectStart();
    this.#claimed = false;
    this.#claim = undefined;
    this.row = { ...this.row, model: storedModel(session), simulated: session.simulated };
    this.#hold();
    this.#writeStart();
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
    const { batches, replaced } = this.#cursor.take(session);
    const { size } = this.#cursor;
    const hasLog = this.row.hasLog && size <= MAX_SIZE;
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
      this.#cursor.takeAll();
      this.#isDirty = true;
      onProblem(error);
    }
  }

  readonly #onEvent = (event: RunEvent): void => {
    this.#cursor.note(event, this.session.earlier.length);
    this.#isDirty = true;
    if (event.type === 'run-end') {
      this.#release?.();
      this.#release = undefined;
      void this.flush();
    } else {
      this.#hold();
      this.#schedule();
    }
  };

  /** Writes the turn before its first event: a reload must not lose what the user has sent. */
  #writeStart(): void {
    this.#isDirty = true;
    // the run starts once the session is shown
    queueMicrotask(() => {
      // the log of a fork has an end until then
      if (isInProgress(this.session.run.getState())) this.#hold();
      void this.flush();
    });
  }

  #hold(): void {
    this.#release ??= this.#options.locks.hold(this.row.id);
  }

  #schedule(): void {
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.batch ?? BATCH_MS);
  }

  /** If another tab has continued this run, the events of this tab become a separate run. */
  async #claimRow(): Promise<void> {
    const { store, locks, onProblem } = this.#options;
    try {
      const claimed = await store.claim(this.row, this.#writer);
      if (typeof claimed !== 'string') {
        this.row = { ...this.row, title: claimed.title, pinned: claimed.pinned };
      } else {
        this.#cursor.takeAll();
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
