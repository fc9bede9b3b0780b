import { CuelineError } from '../errors.ts';
import type * as Session from './conduct-session.ts';

/** Loads what conducts sessions. A page that only shows them does not pay for it. */
export function loadSession(): Promise<typeof Session> {
  return import('./conduct-session.ts').catch((error: unknown) => {
    throw new CuelineError(
      'network',
      'The part of Cueline that runs sessions could not be loaded. Check the connection, reload the page, and try again.',
      { cause: error },
    );
  });
}
