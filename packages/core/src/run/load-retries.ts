import { loadModule } from '../base/load-module.ts';
import { ignorable, stopped } from './refused.ts';
import type * as Retries from './retry-run.ts';
import type { RunInternals } from './run-internals.ts';

let loaded: typeof Retries | undefined;

/** Loads the code of retries. Called with a page's first run, so that it is there for a retry. */
export async function loadRetries(): Promise<typeof Retries> {
  return (loaded ??= await loadModule('retries', import('./retry-run.ts')));
}

/** Continues a run as soon as the code of retries is loaded. A start or a stop while it loads cancels that. */
export function withRetryCode(
  run: RunInternals,
  act: (retries: typeof Retries) => Promise<unknown>,
): Promise<unknown> {
  // only a page that has just been loaded waits
  if (loaded) return act(loaded);
  const { shown } = run.attempts;
  const { stops } = run;
  return ignorable(
    loadRetries().then((retries) =>
      run.stops === stops && run.attempts.shown === shown ? act(retries) : stopped(),
    ),
  );
}
