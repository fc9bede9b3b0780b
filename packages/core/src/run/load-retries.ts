import { loadPart } from '../load-part.ts';
import type * as Retries from './keep-steps.ts';

let loaded: typeof Retries | undefined;

/** What says what stays of a run that is tried again, where it is loaded. */
export function loadedRetries(): typeof Retries | undefined {
  return loaded;
}

/** Loads it. Asked for with a page's first run, so that a retry finds it there. */
export async function loadRetries(): Promise<typeof Retries> {
  return (loaded ??= await loadPart('retries', import('./keep-steps.ts')));
}
