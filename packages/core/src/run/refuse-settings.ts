import type { Executor } from '../executors/executor.ts';
import { loadRunner } from '../executors/load-runner.ts';
import { openLazily } from '../executors/open-lazily.ts';

type Unknown = Readonly<Record<string, unknown>>;

/**
 * Returns an executor that ends each run with an error, because `createRun` or `usePrompt` got a setting that does
 * not exist, or its start an option.
 */
export function refuseSettings(settings: Unknown, ofStart: Unknown | undefined): Executor {
  return {
    start: (request) =>
      openLazily(async () => (await loadRunner()).unknownSetting(request, settings, ofStart)),
  };
}
