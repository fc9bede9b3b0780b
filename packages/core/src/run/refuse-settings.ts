import type { Executor } from '../executors/executor.ts';
import { loadRunner } from '../executors/load-runner.ts';
import { openLazily } from '../executors/open-lazily.ts';
import type { RunInternals } from './run-internals.ts';
import type { StartOptions } from './run.ts';

type Unknown = Readonly<Record<string, unknown>>;

/**
 * Returns an executor that ends each run with an error, if `createRun` or `usePrompt` got no prompt, or a setting
 * that does not exist or cannot be used.
 */
export function refuseSettings(definition: object | undefined, settings: Unknown): Executor | undefined {
  if (definition && isEmpty(settings)) return undefined;
  return {
    start: (request) => openLazily(async () => (await loadRunner()).refusedRun(request, settings)),
  };
}

/**
 * Rejects if a start or a message has an option that does not exist, or a `signal` that is not one, before anything
 * changes. The state does not say so: a caller who ignores the promise reads it in the console.
 */
export function refuseOptions(
  { settings }: RunInternals,
  options: Pick<StartOptions, 'signal'> & Unknown,
): Promise<never> | undefined {
  const { signal, ...others } = options;
  // an AbortController is no signal
  const unknown = signal && !signal.addEventListener ? options : others;
  if (isEmpty(unknown)) return undefined;
  return loadRunner().then((runner) => runner.refuseStart(settings.definition.name, unknown));
}

function isEmpty(unknown: Unknown): boolean {
  return Object.values(unknown).every((value) => value === undefined);
}
