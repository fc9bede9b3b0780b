import { CuelineError } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import { refused } from './attempts.ts';
import type * as Retries from './retry-run.ts';
import type { RunInternals } from './run-internals.ts';

let loaded: typeof Retries | undefined;

/** Loads the code of retries. Called with a page's first run, so that it is there for a retry. */
export async function loadRetries(): Promise<typeof Retries> {
  return (loaded ??= await loadModule('retries', import('./retry-run.ts')));
}

/** Retries a run as soon as the code of retries is loaded. */
export type RetryAction = {
  /** Tries the last turn again. */
  retry(options?: Retries.RetryOptions): Promise<unknown>;
  /** Cancels a retry that still waits for the code. */
  cancel(): void;
};

/** Creates the retries of a run. A start while the code loads cancels the retry, as `cancel` does. */
export function createRetryAction(run: RunInternals, starts: Retries.RetryStarts): RetryAction {
  let cancelled = {};

  return {
    retry(options) {
      // only a page that has just been loaded waits
      if (loaded !== undefined) return loaded.retryRun(run, starts, options);
      const { shown } = run.attempts;
      const mine = cancelled;
      const result = loadRetries().then(({ retryRun }) =>
        cancelled !== mine || run.attempts.shown !== shown
          ? refused(new CuelineError('aborted', 'The run was stopped.'))
          : retryRun(run, starts, options),
      );
      // like every start, it may be ignored
      result.catch(() => {});
      return result;
    },
    cancel() {
      cancelled = {};
    },
  };
}
