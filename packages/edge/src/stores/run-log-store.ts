import type { EditReply, RunCommand } from '@cueline/core';
import type { Batch } from './event-channel.ts';

/** A run that begins, as a store is told of it. */
export type NewRun = {
  runId: string;
  /** Whom it belongs to. */
  subject: string;
  /** Starting twice with one key is one run, for one subject. */
  key?: string | undefined;
  /** The conversation that it is the latest turn of. */
  chat?: string | undefined;
  /** The longest that it may take, in milliseconds. */
  runMs: number;
  /** How long it is kept after its end, in milliseconds. */
  replayMs: number;
};

/** A run that a store keeps. */
export type StoredRun = {
  /** Whom it belongs to. */
  subject: string;
  /** The number of its `run-end`, once it has ended. */
  endSeq?: number | undefined;
};

/**
 * Events of a run in their order: one or more, `first` being the `seq` of the first of them. Each item is an event as JSON,
 * serialised once: a store keeps these texts and gives back the same, and never needs to look into them. `ended` is true
 * where the last of them is `run-end`.
 */
export type EventBatch = Batch<string>;

/** What instances tell each other about a run: only the one where it happens can stop it or answer for it. */
export type RunMessage =
  | { type: 'stop' }
  | { type: 'command'; id: string; command: RunCommand }
  /** Asks whether anybody is there. */
  | { type: 'ping'; id: string }
  | { type: 'reply'; id: string; reply: EditReply };

/** How many messages about a run a store has to keep, for whoever comes later to hear them; older ones may be forgotten. */
export const KEPT_MESSAGES = 200;

/**
 * Where runs are written down, so that every instance that shares it can read, stop and answer them. A run is forgotten
 * `replayMs` after its end, or `runMs + replayMs` after its beginning where it never ended. Failures reject.
 */
export type RunLogStore = {
  /**
   * Makes room for a run; or gives the run that its subject has started with this key before. Rejects where there is no
   * room: the route answers 503.
   */
  create(run: NewRun): Promise<'created' | { runId: string }>;
  /** The run that a subject has started with a key, or the latest one of its conversation. */
  find(
    which: { subject: string; key: string } | { subject: string; chat: string },
  ): Promise<string | undefined>;
  /** The run with this id; undefined where it is not known (any more). */
  get(runId: string): Promise<StoredRun | undefined>;
  /**
   * Adds events. Those that it has already, by their number, are left out, so a try that may have arrived can be made
   * again. Rejects where the run is not known (any more), and where events are missing before these.
   *
   * Gives 'over' where the log had ended before, so that none was taken: another instance may have ended the run, taking
   * the one that writes for gone. A store that gives nothing then lets the two show different ends.
   */
  append(runId: string, events: EventBatch): Promise<'over' | void>;
  /**
   * The events after `afterSeq`, past and to come, in batches of any size. Ends after `run-end`, with the signal, and
   * where the run is not known (any more).
   */
  read(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<EventBatch>;
  /** Tells it to everybody who listens. May do nothing once it has ended, and does where it is not known (any more). */
  tell(runId: string, message: RunMessage): Promise<void>;
  /**
   * What was told, the last {@link KEPT_MESSAGES} at least or as many of them as are 4 MiB, and everything that is told, in its order. Ends with the
   * signal, and where the run is not known (any more).
   */
  told(runId: string, signal: AbortSignal): AsyncIterable<RunMessage>;
  /**
   * The same without what was told before: once it resolves, everything that is told from then on is in it. Who asks a run
   * something and waits for the answer reads all that was ever told where a store does not have it.
   */
  listen?(runId: string, signal: AbortSignal): Promise<AsyncIterable<RunMessage>>;
};
