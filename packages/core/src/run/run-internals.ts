import type { CuelineError } from '../base/errors.ts';
import type { ClientToolRunner } from '../client-tools/client-tools.ts';
import type { RunEvent } from '../log/events.ts';
import type { RunLog } from '../log/run-log.ts';
import type { Scheduler } from '../log/schedule.ts';
import type { RunState } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { EventWriter } from '../storage/event-writer.ts';
import type { Attempts } from './attempts.ts';
import type { RunSettings } from './run.ts';

/**
 * The data of one run, which the functions of this folder read and write. The types of its prompt are known to
 * `createRun` only.
 */
export type RunInternals = {
  /** What the next start uses. */
  settings: RunSettings & { definition: PromptDefinition<unknown> };
  /** The input of the latest start. */
  lastInput: unknown;
  /** The shown log; before the first start, the log of the past. */
  log: RunLog;
  /** The state between a start and the first event of its log, also while the start waits for the stored log. */
  starting?: RunState | undefined;
  storageError?: CuelineError | undefined;
  /** The latest state, and what it was computed from: the same inputs give the same object. */
  latest?: { inputs: readonly unknown[]; state: RunState };
  /** Stores the events. Missing without a storage, and until the storage is open. */
  writer?: EventWriter;
  readonly attempts: Attempts;
  /** How often the run was stopped, so that an action that waits sees a stop. */
  stops: number;
  readonly clientTools: ClientToolRunner;
  readonly schedule: Scheduler | undefined;
  /** Called with the state, at most once a frame. */
  readonly subscribers: Set<(state: RunState) => void>;
  /** Called with every event of the shown log, at once. */
  readonly listeners: Set<(event: RunEvent) => void>;
  /** Ends the subscription to the shown log, which exists while there are subscribers. */
  unsubscribe?: (() => void) | undefined;
};
