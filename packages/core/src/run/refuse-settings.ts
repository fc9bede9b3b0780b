import type { Executor } from './executor.ts';
import { loadRunner } from './load-runner.ts';
import { openLazily } from './watch.ts';

/** Ends each run with the error that `createRun` or `usePrompt` was given a setting that does not exist. */
export function refuseSettings(unknown: Readonly<Record<string, unknown>>): Executor {
  return {
    start: (request) => openLazily(async () => (await loadRunner()).unknownSetting(request, unknown)),
  };
}
