import type { LimitOptions, RunEvent, TaskItem } from '@cueline/core';
import type { DurableCommand } from '@cueline/core/durable';
import type { UIMessage } from 'ai';

/** What a run starts with. Plain JSON: functions and model objects come from the prompt's definition. */
export type DurableStart = {
  /** The name of the prompt. */
  prompt: string;
  input?: unknown;
  /** `provider:model`, instead of the definition's own model. */
  model?: string | undefined;
  /** Earlier turns of the conversation. */
  messages?: readonly UIMessage[] | undefined;
  limits?: LimitOptions | undefined;
  /** The tasks at the end of the turn before. */
  tasks?: readonly TaskItem[] | undefined;
  /** The user to whom the run belongs. */
  owner?: RunOwner | undefined;
  /** When the run was started, in milliseconds since 1970. */
  startedAt?: number | undefined;
  /** True if only a worker with a guard may advance the run. */
  guarded?: true | undefined;
};

/** The user to whom a run belongs, and the conversation of which it is a turn. */
export type RunOwner = {
  subject: string;
  chat?: string | undefined;
  /** The daily limits of this user, if they differ from the guard's; null means no limit. */
  dailyTokens?: number | null | undefined;
  dailyCost?: number | null | undefined;
};

/** Which run to find: by its id, by its key, or the latest run of a user's conversation. */
export type RunQuery = { runId: string } | { key: string } | { subject: string; chat: string };

/** A stored run. */
export type FoundRun = {
  runId: string;
  /** The name of its prompt. */
  prompt: string;
  owner: RunOwner | undefined;
  /** The number of its events; 0 if no worker has begun it. */
  length: number;
  /** The `seq` of its `run-end`, once it has ended. */
  endSeq: number | undefined;
};

/** A run to store. */
export type NewDurableRun = {
  runId: string;
  /** Two starts with the same key start one run. */
  key?: string | undefined;
  start: DurableStart;
};

/** What a worker gets when it takes a run over. */
export type ClaimedRun = {
  /** The number of this takeover. A worker with an earlier number can store nothing more. */
  epoch: number;
  start: DurableStart;
  /** The events after the requested `afterSeq`. */
  events: readonly RunEvent[];
  /** The commands that no worker has handled yet. */
  commands: readonly StoredCommand[];
};

/** A command of a user, or the mark of a worker, with its name. A run has at most one command of each name. */
export type StoredCommand = { name: string; command: DurableCommand | TakeoverMark };

/**
 * A worker has taken the run over, and had not got it further than the event `after`; -1 for a run that has not
 * begun.
 */
export type TakeoverMark = { type: 'takeover'; after: number };

/** The events of a log after some position. */
export type ReadEvents = {
  events: readonly RunEvent[];
  ended: boolean;
};

/**
 * Stores runs so that any worker can continue them. Methods reject if they fail. Repeating a failed call must be
 * harmless, even if the call took effect. Ids, keys, subjects, chats and names of commands are well-formed texts
 * without U+0000, which Postgres cannot store. All other texts are part of JSON, and may contain anything.
 */
export type DurableStore = {
  /**
   * Stores a run, or returns the run that was started with the same key before; without a key, the run that has this
   * id. Rejects, and changes nothing, if the key is new and a run with another key has this id.
   */
  create(run: NewDurableRun): Promise<'created' | { runId: string }>;
  /**
   * Takes a run over: from now on, only the caller can store its events. Returns the events after `afterSeq`, 'ended'
   * for a run that has ended, and undefined for an unknown run. The result must contain every event that was stored
   * before.
   */
  claim(runId: string, afterSeq: number): Promise<ClaimedRun | 'ended' | undefined>;
  /**
   * Stores all of the events or none. Returns false, and stores nothing, if another worker has taken the run over, if
   * the run has ended, or if events before these are missing. Without events, only returns whether the caller still
   * has the run. A `run-end` also removes the run's commands.
   */
  append(runId: string, epoch: number, events: readonly RunEvent[]): Promise<boolean>;
  /**
   * Stores a command for the next worker, unless the run already has one of this name. Returns the command that the
   * run then has; undefined if the run has ended or is unknown.
   */
  send(runId: string, command: StoredCommand): Promise<StoredCommand | undefined>;
  /** Returns the commands of a run that no worker has handled yet, in the order in which they came. */
  commands(runId: string): Promise<readonly StoredCommand[]>;
  /** Removes commands that a worker has handled. */
  forget(runId: string, names: readonly string[]): Promise<void>;
  /** Returns the stored events after `afterSeq`; undefined for an unknown run. */
  read(runId: string, afterSeq: number): Promise<ReadEvents | undefined>;
  /** Returns the ids of all runs that have not ended. */
  unfinished(): Promise<string[]>;
  /** Finds a run. Prompt routes need this, because their runs belong to users. */
  find(which: RunQuery): Promise<FoundRun | undefined>;
};
