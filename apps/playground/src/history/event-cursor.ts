import type { RunEvent } from '@cueline/core';
import { logOf } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { createTextWriter, lengthOf } from './repeated-texts.ts';
import type { EventBatch, RunChange } from './run-store.ts';
import { turnStart } from './turn-start.ts';

/** How far the logs of a session are stored. */
export class EventCursor {
  /** The turn that is written next, and how many of its events are written. */
  #turn = 0;
  #written = 0;
  /** The `seq` of the next event that appends to its log. */
  #nextSeq: number;
  /** The latest start of a turn. */
  #start: RunEvent | undefined;
  /** Turns whose stored events are outdated. */
  #replaced: Set<number> | 'all' = new Set();
  readonly #sizes: number[] = [];
  readonly #texts = createTextWriter();

  /** `log` is that of the session's last turn so far. */
  constructor(log: readonly RunEvent[]) {
    this.#nextSeq = log.length;
    this.#start = log[0];
  }

  /** The size of the stored events, in characters. */
  get size(): number {
    return this.#sizes.reduce((sum, one) => sum + one, 0);
  }

  /** Takes all events with the next `take`. */
  takeAll(): void {
    this.#replaced = 'all';
  }

  /** Expects the first event of a turn: of a new one, or again of the last one. */
  expectStart(): void {
    this.#nextSeq = 0;
  }

  /**
   * Notes an event of the last turn, whose number this is. If it does not append to the log, the turn is stored
   * again.
   */
  note(event: RunEvent, turn: number): void {
    const { seq } = event;
    if (seq === 0) this.#start = event;
    const isAgain = seq === 0 && this.#turn === turn && this.#written > 0;
    // a retry keeps a part of the log and appends to it
    if (this.#replaced !== 'all' && (isAgain || seq !== this.#nextSeq)) this.#replaced.add(turn);
    this.#nextSeq = seq + 1;
  }

  /** Takes the events that are not written yet, and the turns that they replace. */
  take(session: RunSession): Pick<RunChange, 'batches' | 'replaced'> {
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
      const events = log.length === 0 ? turnStart(session, this.#start) : log.slice(from);
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
}
