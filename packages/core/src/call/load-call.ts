import { CuelineError } from '../errors.ts';
import type * as Call from './prepare-call.ts';

/** Loads what conducts calls. A page that only names its agents does not pay for it. */
export function loadCall(): Promise<typeof Call> {
  return import('./prepare-call.ts').catch((error: unknown) => {
    throw new CuelineError(
      'network',
      'The part of Cueline that conducts agent calls could not be loaded. Check the connection, reload the page, and try again.',
      { cause: error },
    );
  });
}
