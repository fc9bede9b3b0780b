import { loadModule } from '../base/load-module.ts';
import { ignorable, stopped } from './refused.ts';
import type * as Retries from './retry-run.ts';
import type { RunInternals } from './run-internals.ts';

let loaded: typeof Retries | undefined;

/** Loads the code of retries. Called with a page's first run, so that it is there for a retry. */
export async function loadRetries(): Promise<typeof Retries> {
  return (loaded ??= await loadModule('retries', import('./retry-run.ts')));
}

/** Retries a run as soon as the code of retries is loaded. A start or a stop while it loads cancels the retry. */
export function retry(
  run: RunInternals,
  starts: Retries.RetryStarts,
  options?: Retries.RetryOptions,
): Promise<unknown> {
  // only a page that has just been loaded waits
  if (loaded !== undefined) return loaded.retryRun(run, starts, options);
  const { shown } = run.attempts;
  const { stops } = run;
  return ignorable(
    loadRetries().then(({ retryRun }) =>
      run.stops === stops && run.attempts.shown === shown ? retryRun(run, starts, options) : stopped(),
    ),
  );
}
