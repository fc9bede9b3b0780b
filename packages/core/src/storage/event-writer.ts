import type { CuelineError } from '../base/errors.ts';
import type { Executor } from '../executors/executor.ts';
import type { StoredCalls } from '../executors/stored-calls.ts';
import type { RunEvent } from '../log/events.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { EditReply } from '../tasks/task-item.ts';

/** The run of a tab, as far as other tabs act on it. */
export type TabbedRun = {
  readonly attempts: { readonly shown: { readonly result: Promise<unknown> } | undefined };
  log(): readonly RunEvent[];
  /** Shows a log that grows in another tab. */
  show(events: readonly RunEvent[]): void;
  retry(): Promise<unknown>;
  command(command: RunCommand): Promise<EditReply>;
  stop(): void;
  /** True if something in this tab subscribes or listens to the run. */
  isWatched(): boolean;
};

/** Stores a run's events in batches. */
export type EventWriter = {
  /** Adds the next event. An event whose `seq` is 0 begins a new log, which replaces the stored one. */
  add(event: RunEvent): void;
  /** For one start: lets its calls wait until everything before them is stored. */
  calls(): StoredCalls;
  /** Resolves once everything is stored, and at once while the storage fails. */
  flush(): Promise<void>;
  /** Returns an executor that works on the run, or on a stored log, while other tabs may do the same. */
  executor(executor: Executor, isStart: boolean): Executor;
  /**
   * Runs an action that continues the shown run. If another tab works on the run, ends that work first and shows
   * everything that has happened. If that tab reaches a whole end first, does not run an action that `ends`.
   */
  alone(action: () => Promise<unknown>, ends: boolean): Promise<unknown>;
  /** Returns true if another tab works on the run. Then this tab continues it only if something here watches it. */
  leave?(): boolean;
  /** Called once the run shows its stored events. From here on, the tab listens to other tabs. */
  ready(): void;
};

/** An event writer of which another tab may take over what it stores. */
export type DroppableWriter = EventWriter & {
  /** Forgets the events that are not stored yet. */
  drop(): void;
};

/** The stored events of a run, and the reason if some of them cannot be read. */
export type LoadedLog = { events: readonly RunEvent[]; damage?: CuelineError };
