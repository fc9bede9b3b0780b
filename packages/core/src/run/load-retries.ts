import { loadModule } from '../base/load-module.ts';
import type * as Retries from './retry-run.ts';

let loaded: typeof Retries | undefined;

/** The code of retries, if it is loaded. */
export function loadedRetries(): typeof Retries | undefined {
  return loaded;
}

/** Loads the code of retries. Called with a page's first run, so that it is there for a retry. */
export async function loadRetries(): Promise<typeof Retries> {
  return (loaded ??= await loadModule('retries', import('./retry-run.ts')));
}
