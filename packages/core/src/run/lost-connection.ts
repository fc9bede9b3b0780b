import { CuelineError } from '../base/errors.ts';
import type { RunRequest } from '../executors/executor.ts';
import type { RunEvent } from '../log/events.ts';

/** Work whose connection was lost: a run, which may still continue where it happens, or a start without an answer. */
export type LostConnection = {
  /** Missing for a run, which is attached to and not started. */
  request?: RunRequest<never> | undefined;
  /** The beginning of the log. */
  events: readonly RunEvent[];
  /** The key of the start. */
  key: string | undefined;
};

/** True if the run is no longer known, so that attaching cannot succeed. */
export function isGone(error: unknown): boolean {
  return CuelineError.isInstance(error) && error.code === 'interrupted';
}
