import { loadPart } from '../base/load-part.ts';
import type * as Retries from './retry-run.ts';

let loaded: typeof Retries | undefined;

/** What tries a run again, where it is loaded. */
export function loadedRetries(): typeof Retries | undefined {
  return loaded;
}

/** Loads it. Asked for with a page's first run, so that a retry finds it there. */
export async function loadRetries(): Promise<typeof Retries> {
  return (loaded ??= await loadPart('retries', import('./retry-run.ts')));
}
