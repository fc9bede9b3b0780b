import type { Executor } from '../executors/executor.ts';
import { loadRunner } from '../executors/load-runner.ts';
import { openLazily } from '../executors/open-lazily.ts';

/**
 * Returns an executor that ends each run with an error, because `createRun` or `usePrompt` got a setting that does
 * not exist.
 */
export function refuseSettings(unknown: Readonly<Record<string, unknown>>): Executor {
  return {
    start: (request) => openLazily(async () => (await loadRunner()).unknownSetting(request, unknown)),
  };
}
