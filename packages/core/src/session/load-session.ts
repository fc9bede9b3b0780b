import { loadPart } from '../load-part.ts';
import type * as Session from './conduct-session.ts';

/** Loads what conducts sessions. A page that only shows them does not pay for it. */
export function loadSession(): Promise<typeof Session> {
  return loadPart('sessions', import('./conduct-session.ts'));
}
