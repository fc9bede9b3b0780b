import { CuelineError } from '../errors.ts';
import type * as Calls from './agent-calls.ts';

/** Loads what conducts calls. A page that only names its agents does not pay for it. */
export function loadCall(): Promise<typeof Calls> {
  return import('./agent-calls.ts').catch((error: unknown) => {
    throw new CuelineError(
      'network',
      'The part of Cueline that conducts agent calls could not be loaded. Check the connection, reload the page, and try again.',
      { cause: error },
    );
  });
}
