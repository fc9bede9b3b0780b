import type { Limits, RunEvent, TaskItem } from '@cueline/core';
import type { DurableCommand } from '@cueline/core/durable';
import type { UIMessage } from 'ai';

/** What a run is started with. Plain JSON: functions and model objects come from the prompt's definition. */
export type DurableStart = {
  /** The name of the prompt. */
  prompt: string;
  input?: unknown;
  /** `provider:model`, instead of the definition's own. */
  model?: string | undefined;
  /** Earlier turns of the conversation. */
  messages?: readonly UIMessage[] | undefined;
  limits?: Partial<Limits> | undefined;
  /** The tasks at the end of the turn before. */
  tasks?: readonly TaskItem[] | undefined;
  /** The user of a server to whom the run belongs. */
  owner?: RunOwner | undefined;
  /** When it was started, in milliseconds since 1970. */
  startedAt?: number | undefined;
  /** True if only a worker with a guard may advance it. */
  guarded?: true | undefined;
};

/** A user of a server, and the conversation of which a run is a turn. */
export type RunOwner = {
  subject: string;
  chat?: string | undefined;
  /** The daily limits of this user, if they differ from those of the guard; null is no limit. */
  dailyTokens?: number | null | undefined;
  dailyCost?: number | null | undefined;
};

/** Which run to look for: the one with this id or key, or the latest of a user's conversation. */
export type RunQuery = { runId: string } | { key: string } | { subject: string; chat: string };

/** A run that a store has. */
export type FoundRun = {
  runId: string;
  /** The name of its prompt. */
  prompt: string;
  owner: RunOwner | undefined;
  /** How many events it has; 0 if no worker has begun it. */
  length: number;
  /** The `seq` of its `run-end`, once it has ended. */
  endSeq: number | undefined;
};

/** A run for a store. */
export type NewDurableRun = {
  runId: string;
  /** Starting twice with the same key starts one run. */
  key?: string | undefined;
  start: DurableStart;
};

/** What a worker takes over with a run. */
export type ClaimedRun = {
  /** A worker with an earlier number can store nothing more. */
  epoch: number;
  start: DurableStart;
  /** Those that were asked for. */
  events: readonly RunEvent[];
  /** What users have sent and no worker has finished with. */
  commands: readonly StoredCommand[];
};

/** A command and the name under which the run has it once. */
export type StoredCommand = { name: string; command: DurableCommand };

/** Events after some place of a log. */
export type ReadEvents = {
  events: readonly RunEvent[];
  ended: boolean;
};

/**
 * Stores runs so that any worker can continue them. Failures reject; a caller that tries again after a failure that may have
 * succeeded does no harm. Ids, keys, subjects, chats and names of commands are well-formed texts without U+0000, which
 * Postgres cannot keep; all other texts are part of JSON, and may contain anything.
 */
export type DurableStore = {
  /** Stores a run, or returns the one that was started with its key before. */
  create(run: NewDurableRun): Promise<'created' | { runId: string }>;
  /**
   * Takes a run over: from now on only the caller can store its events. Returns its events after `afterSeq`, 'ended' for a
   * run with an end, and undefined for an unknown one. No event may be stored in between that is not returned.
   */
  claim(runId: string, afterSeq: number): Promise<ClaimedRun | 'ended' | undefined>;
  /**
   * Stores events, all of them or none. Returns false, and stores nothing, if another worker has taken the run over, if
   * the run has ended, or if events are missing before these. Without events, it only returns whether the caller still has
   * the run. The end also removes the run's commands.
   */
  append(runId: string, epoch: number, events: readonly RunEvent[]): Promise<boolean>;
  /**
   * Stores a command for the next worker, unless the run has one of this name. Returns the one that the run has then;
   * undefined if the run has ended or is not known.
   */
  send(runId: string, command: StoredCommand): Promise<StoredCommand | undefined>;
  /** Returns the commands of a run that no worker has finished with, in their order. */
  commands(runId: string): Promise<readonly StoredCommand[]>;
  /** Removes commands that a worker has finished with. */
  forget(runId: string, names: readonly string[]): Promise<void>;
  /** The stored events after `afterSeq`; undefined for an unknown run. */
  read(runId: string, afterSeq: number): Promise<ReadEvents | undefined>;
  /** The ids of all runs without an end. */
  unfinished(): Promise<string[]>;
  /** Finds a run. Prompt routes need it, whose runs belong to users. */
  find(which: RunQuery): Promise<FoundRun | undefined>;
};
